"""Our frames as the AI SDK's UI message stream, so that chat pages made with it need no adapter.

Text parts are checked sentences. Everything else of ours comes as ``data-*`` parts with stable ids, which are replaced in
place when they come again.

Source:
    AI SDK 5, "Stream Protocol", data stream protocol (header ``x-vercel-ai-ui-message-stream: v1``).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from pincite.renderers.links import web_url
from pincite.service.streams import Frame

HEADERS = {"x-vercel-ai-ui-message-stream": "v1"}
END = "[DONE]"


def encoded(number: str, frame: Frame) -> str:
    """The parts that a frame becomes, as server-sent events; the last of them has the number of the frame."""
    texts = [part if isinstance(part, str) else json.dumps(part, ensure_ascii=False) for part in parts(frame)]
    lines = [f"data: {text}\n\n" for text in texts]
    return "".join([*lines[:-1], f"id: {number}\n{lines[-1]}"]) if lines else f": {number}\n\n"


def parts(frame: Frame) -> Iterator[dict[str, Any] | str]:
    """The parts of one frame; ``END`` ends the stream."""
    name, data = frame
    if name == "start":
        yield {"type": "start", "messageId": data["answer_id"]}
    elif name == "sources":
        yield from map(_source, data["hits"])
    elif name == "sentence" and data["state"] == "checked":
        part_id = f"s{data['index']}-{data['part']}"
        yield {"type": "text-start", "id": part_id}
        yield {"type": "text-delta", "id": part_id, "delta": f"{data['text']} "}
        yield {"type": "text-end", "id": part_id}
    elif name == "problem":
        yield {"type": "data-problem", "id": "problem", "data": data}
        yield {"type": "error", "errorText": data["detail"]}
    elif name == "done":
        yield {"type": "finish"}
        yield END
    else:
        yield {"type": f"data-{name}", "id": _part_id(name, data), "data": data}


def _part_id(name: str, data: dict[str, Any]) -> str:
    own = data.get("id") or data.get("stage") or data.get("index")
    return name if own is None else f"{name}-{own}"


def _source(hit: dict[str, Any]) -> dict[str, Any]:
    about = {"sourceId": hit["chunk_id"], "title": hit["title"]}
    address = web_url(hit["source"] or "")
    if address:
        return {"type": "source-url", "url": address, **about}
    return {"type": "source-document", "mediaType": "text/plain", **about}
