"""Questions: which parts one has, and what sort of value it asks for."""

from __future__ import annotations

import re
from functools import cache

from pincite.text.sentences import split_sentences
from pincite.text.words import UNSPACED, fold, stop_words, words

# Written for this project: words that open a question of their own after a conjunction.
_OPENERS = {
    "en": "who what when where why how which whose whom is are was were do does did can could may must should will "
    "would has have",
    "de": "wer was wann wo warum wie welche welcher welches welchem welchen wem wen wohin woher ist sind kann können darf dürfen muss "
    "müssen gibt werden wird habe hat",
    "es": "quién qué cuándo dónde cómo cuánto cuánta cuántos cuántas cuál por es son puede puedo pueden hay debo tiene",
    "fr": "qui que quoi quand où comment combien quel quelle quels quelles pourquoi est sont peut puis peuvent dois y",
}
_CONJUNCTIONS = {"en": "and", "de": "und", "es": "y", "fr": "et"}
# What may stand before the opener: "and for how many pages", "und in welchem Band".
_BEFORE = {
    "en": "for in on at to of from with by within until after since under",
    "de": "für in im an am auf aus bei bis mit nach seit unter von vor zu ab",
    "es": "para en a de desde con por hasta",
    "fr": "pour en à de dans avec sur depuis jusqu'à par",
}
# Scripts where a comma or a particle joins two questions and no blank follows.
# "…と、", "…場合、" lead in to a question and are none.
_UNSPACED_BREAKS = re.compile(
    r"(?:(?<=か)|(?<![ぁ-ゖ合時際]))[，、；]\s*(?=[^，、；]*[?？か吗呢么])|(?:それと|また、|以及|还有|並びに)"
)
_ARABIC_HINDI = re.compile(
    r"(?<=\S)[،,]?\s+(?:و(?=(?:هل|كم|متى|أين|من|ما|كيف|لماذا)\b)|(?:और|तथा)\s+(?=(?:क्या|कौन|कब|कहाँ|कैसे|कितन)))"
)

_MARKS = ("?", "？", "؟")
_ENDS = (*_MARKS, "か。", "か．", "か")
"""How a question ends; Japanese needs no mark."""


@cache
def _breaks() -> re.Pattern[str]:
    per_language = (
        rf"{_CONJUNCTIONS[language]}\s+(?=(?:(?:{'|'.join(_BEFORE[language].split())})\s+)?(?:{'|'.join(words.split())})\b)"
        for language, words in _OPENERS.items()
    )
    return re.compile(rf"\s*[,;]?\s+(?:{'|'.join(per_language)})|\s*;\s+", re.IGNORECASE)


def aspects(question: str) -> tuple[str, ...]:
    """The parts of a question that want an answer each, in order, as they are written.

    Sentences are parts; a sentence is cut at a conjunction only where another question begins, so that
    "shoes and boots" stays whole.

    >>> aspects("Can I return worn shoes, and who pays postage?")
    ('Can I return worn shoes', 'who pays postage')
    >>> aspects("I bought it in May. Can I return it?")
    ('Can I return it',)
    """
    sentences = [span.of(question) for span in split_sentences(question)]
    # "I bought it in May. Can I return it?": what is told leads in to what is asked.
    asked = [sentence for sentence in sentences if sentence.rstrip('*_"”’) ').endswith(_ENDS)]
    parts: list[str] = []
    for sentence in asked or sentences:
        for piece in _cut(sentence):
            cleaned = piece.strip().rstrip("?？؟!.。।").strip()
            if any(char.isalnum() for char in cleaned):
                parts.append(cleaned)
    return tuple(dict.fromkeys(parts))


def _cut(sentence: str) -> list[str]:
    pieces = [sentence]
    for pattern in (_breaks(), _UNSPACED_BREAKS, _ARABIC_HINDI):
        pieces = [part for piece in pieces for part in pattern.split(piece)]
    return pieces


# Written for this project: how questions begin. What follows is what they are about.
_ASKING = re.compile(
    r"\b(?:please\s+)?(?:(?:within|for|after|from|until|by|in|at|to|on)\s+)?"
    r"(?:(?:show|tell|give)\s+(?:me|us)\b|(?:zeige?|nenne?|sage?)\s+(?:mir|uns)\b|"
    r"how\s+(?:many|much|long|often|old|big|large|far|soon|late|do|does|did|can|to)\b|what(?:'s)?\b|when\b|where\b|"
    r"which\b|who(?:se|m)?\b|why\b|how\b|"
    r"(?:inner|wie)\s*(?:halb\s+wie)?\s*(?:viele?r?|lange?|oft|hoch|groß|spät|teuer)?\b|was\b|wann\b|wo(?:hin|her)?\b|warum\b|"
    r"welche[rsnm]?\b|wer\b|wem\b|wen\b|"
    r"(?:a\s+)?(?:cu[aá]nt[oa]s?|cu[aá]ndo|d[oó]nde|c[oó]mo|qu[eé]|qui[eé]n(?:es)?|cu[aá]l(?:es)?)\b|"
    r"combien(?:\s+de)?\b|quand\b|o[uù]\b|comment\b|que(?:l(?:le)?s?)?\b|qui\b|pourquoi\b|est-ce\s+que?\b|"
    r"كم\b|متى\b|أين\b|كيف\b|ما(?:\s+(?:هو|هي))?\b|ماذا\b|من\b|لماذا\b|هل\b)",
    re.IGNORECASE,
)
# Where the asking words stand inside or at the end.
_ASKING_INSIDE = re.compile(
    r"何[日時分人個円回年月]?(?:以内|間|まで)?|いくつ|いくら|いつ(?:まで)?|どのくらい|どうすれば|どこ|どの|だれ|誰|なぜ|どんな|"
    r"(?:でき|でし|です|ます|ません)(?:ます)?か|ですか|ますか|"
    r"多少|几[天个年月]?|什么时候|什么|多久|多大|怎么|如何|哪[里个些]?|谁|为什么|吗|呢|可以|能否|是否|"
    r"कितन[ाेी]|कब|क्या|कौन|कहाँ|कैसे|क्यों"
)


def topic(question: str) -> str:
    """A question without its asking words: what it is about.

    >>> topic("How long are deleted files kept"), topic("返品は何日以内にできますか")
    (' are deleted files kept', '返品は に ')
    >>> topic("Show me the settings"), topic("The whole price")
    (' the settings', 'The whole price')
    """
    return _ASKING_INSIDE.sub(" ", _ASKING.sub("", question, count=1))


# Written for this project: what people call text that is typed or read by a machine.
_CODE = re.compile(
    r"\b(?:commands?(?![-\s]+line)|(?:un)?install|(?:de)?installier(?:e|en|t)|"
    r"(?<!error )(?<!exit )(?<!reason )(?<!status )(?<!return )(?<!qr )(?<!post )(?<!zip )(?<!country )code(?!\s*\d)|snippets?|scripts?|curl|json|toml|yaml|xml|example\s+(?:request|call|file)|(?:config|settings)\s+file|befehle?|skripte?|"
    r"quelltext|codebeispiele?|einstellungsdatei|comandos?|código|commandes?|fichier\s+de\s+configuration)\b|"
    r"インストール|コマンド(?!ライン)|(?<!終了)(?<!理由)(?<!エラー)(?<!QR)(?<!バー)コード(?!\s*\d)|命令(?!行)|代码|設定ファイル|配置文件|أمر|ملف الإعدادات|تثبيت|أثبّت|कमांड",
    re.IGNORECASE,
)


def asks_for_code(question: str) -> bool:
    """Whether a command or another block of code is wanted.

    >>> asks_for_code("Which command lists them?"), asks_for_code("upload size")
    (True, False)
    """
    return _CODE.search(question) is not None


# Written for this project: words that ask for something without saying what it is about, beside the function words.
_SAYS_NOTHING = {
    "en": "about more else info information details detail tell explain thing things stuff something anything help please "
    "know mean means need question happens happen work works kind sort way regarding concerning",
    "de": "mehr sonst infos info information informationen details detail sag sagen erzähl erzählen erkläre erklären "
    "dinge ding sache etwas hilfe bitte wissen bedeutet heißt brauche frage darüber davon dazu damit sowas",
    "es": "más otro información info detalles detalle dime explica cosa cosas algo ayuda favor saber significa pregunta "
    "sobre acerca eso esto",
    "fr": "plus autre information informations infos info détails détail dis explique chose choses quelque aide plaît "
    "savoir signifie question sujet propos cela ça",
    "ja": "それ これ あれ について 詳細 情報 もっと 教え 教えて ください 何 どう こと もの 説明",
    "zh": "这个 那个 它 关于 详情 信息 更多 告诉 说明 什么 怎么 怎样 怎么样 东西 事情 呢 吗 请",
    "ar": "المزيد معلومات تفاصيل أخبرني اشرح شيء أشياء مساعدة فضلك معرفة يعني سؤال عن ماذا هذا ذلك حول بشأن عنه عنها",
    "hi": "और अधिक जानकारी विवरण बताओ बताइए बताएं समझाओ चीज़ चीज कुछ मदद कृपया मतलब प्रश्न बारे इसके उसके यह वह",
}
_UNSPACED_NOTHING = re.compile(
    "それ|これ|あれ|について|詳細|情報|もっと|教えて?|ください|何|なに|どう|こと|もの|説明|です|ます|か|は|の|を|に|が|も|と|な|で|"
    "这个|那个|它|关于|详情|信息|更多|告诉|说明|什么|怎么样?|怎样|东西|事情|[呢吗请这那的了我们是有一]"
)


def subject_words(question: str, language: str | None) -> int:
    """How many words say what a question is about.

    In scripts without blanks a run that is left counts as two words: it cannot be told from several.

    >>> (
    ...     subject_words("What about it?", "en"),
    ...     subject_words("Costs?", "en"),
    ...     subject_words("What do plans cost?", "en"),
    ... )
    (0, 1, 2)
    >>> subject_words("それについて教えてください。", "ja"), subject_words("返品は？", "ja")
    (0, 2)
    """
    return sum(2 if _UNSPACED_WORD.search(word) else 1 for word in subjects(question, language))


def subjects(question: str, language: str | None) -> tuple[str, ...]:
    """The words that say what a question is about, as it writes them; a run without blanks is one of them.

    >>> subjects("Please tell me more about costs", "en")
    ('costs',)
    """
    nothing = frozenset(_SAYS_NOTHING.get((language or "en").partition("-")[0], "").split())
    found = []
    for word in _about(topic(question), language):
        if fold(word) in nothing:
            continue
        left = _UNSPACED_NOTHING.sub("", word) if _UNSPACED_WORD.search(word) else word
        if left:
            found.append(word)
    return tuple(found)


_UNSPACED_WORD = re.compile(f"[{UNSPACED}]")


def _about(text: str, language: str | None) -> list[str]:
    stop = stop_words(language)
    return [surface for _, surface in words(text) if fold(surface) not in stop]
