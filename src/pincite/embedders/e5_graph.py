"""The encoder of multilingual-e5-small as an ONNX graph, made in memory from the packaged weights in a tenth of a second.

Its inputs are ``embeds``, the sums of piece, place and kind of text, float32 of shape (texts, tokens, width), and ``mask``,
int32 of shape (texts, tokens); its output is ``states``. Products are of 8 bits, with activations quantised as they
come. Three of them stay at the file's own 4 bits with a scale for 32 weights: their activations hold values so large
that one scale for all of them leaves little of the rest.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pincite.embedders.e5_file import BLOCK, E5File

EXACT = frozenset({"l0.fo", "l4.fo", "l5.fo"})
"""Products behind the activation function whose inputs have outliers. By measurement: mean cosine with the package's own
engine 0.9965 without the list, 0.9988 with it, 0.9990 with all twelve, and those cost a third of the speed."""

CONTRIB = "com.microsoft"
"""onnxruntime's own operations: fused ones, several times as fast as the standard ones they stand for."""


def e5_graph(file: E5File) -> bytes:
    """The graph, serialised. The same bytes each time."""
    from onnx import TensorProto, helper

    graph = _Graph(file)
    graph.encoder()
    shape: list[str | int | None] = ["texts", "tokens", file.width]
    made = helper.make_graph(
        graph.nodes,
        "multilingual-e5-small",
        [
            helper.make_tensor_value_info("embeds", TensorProto.FLOAT, shape),
            helper.make_tensor_value_info("mask", TensorProto.INT32, shape[:2]),
        ],
        [helper.make_tensor_value_info("states", TensorProto.FLOAT, shape)],
        graph.constants,
    )
    versions = [helper.make_opsetid("", 17), helper.make_opsetid(CONTRIB, 1)]
    model = helper.make_model(made, opset_imports=versions, ir_version=8)
    return bytes(model.SerializeToString(deterministic=True))


class _Graph:
    """Nodes and constants as they are added. A method adds one part and returns the name of its output."""

    def __init__(self, file: E5File) -> None:
        self._file = file
        self.nodes: list[Any] = []  # onnx ships no types for its protocol buffers
        self.constants: list[Any] = []

    def encoder(self) -> None:
        file = self._file
        thirds = self._constant("thirds", np.full(3, file.width, dtype=np.int64))
        norm = ["embeds", *self._norm("emb.ln")]
        state = self._node("LayerNormalization", norm, "embedded", domain="", epsilon=file.epsilon)
        for layer in range(file.layers):
            name = f"l{layer}"
            joined = self._product(state, f"{name}.qkv", (f"{name}.q", f"{name}.k", f"{name}.v"), file.width)
            parts = [f"{name}.{part}_part" for part in "qkv"]
            self._add("Split", [joined, thirds], parts, domain="", axis=-1)
            seen = self._node(
                "MultiHeadAttention", [*parts, "", "mask"], f"{name}.seen", num_heads=file.heads
            )
            out = self._product(seen, f"{name}.ao", (f"{name}.ao",), file.width)
            state = self._added(out, state, f"{name}.aln", f"{name}.state")
            inner = self._node(
                "Gelu", [self._product(state, f"{name}.fi", (f"{name}.fi",), file.width)], f"{name}.inner"
            )
            out = self._product(inner, f"{name}.fo", (f"{name}.fo",), file.inner)
            last = layer == file.layers - 1
            state = self._added(out, state, f"{name}.oln", "states" if last else f"{name}.out")

    def _added(self, change: str, state: str, norm: str, output: str) -> str:
        inputs = [change, state, *self._norm(norm)]
        return self._node("SkipLayerNormalization", inputs, output, epsilon=self._file.epsilon)

    def _norm(self, name: str) -> tuple[str, str]:
        weight, bias = (self._file.floats(f"{name}.{part}") for part in "wb")
        return self._constant(f"{name}.weight", weight), self._constant(f"{name}.bias", bias)

    def _product(self, state: str, name: str, matrices: tuple[str, ...], columns: int) -> str:
        """``state`` times the matrices, one below the other, plus their biases."""
        found = [self._file.matrix(f"{matrix}.w", columns) for matrix in matrices]
        bias = self._constant(
            f"{name}.bias", np.concatenate([self._file.floats(f"{one}.b") for one in matrices])
        )
        if name in EXACT:
            numbers = np.concatenate([one.numbers for one in found])
            packed = numbers[..., 0::2] | numbers[..., 1::2] << 4
            scales = np.concatenate([one.scales for one in found]).reshape(-1)
            inputs = [
                state,
                self._constant(f"{name}.numbers", packed),
                self._constant(f"{name}.scales", scales),
            ]
            # accuracy_level 4: activations are quantised to 8 bits in blocks, as the package's own engine does it.
            return self._node(
                "MatMulNBits",
                [*inputs, "", "", bias],
                name,
                K=columns,
                N=len(numbers),
                bits=4,
                block_size=BLOCK,
                accuracy_level=4,
            )
        dense = np.concatenate([one.dense() for one in found]).T
        steps = np.maximum(np.abs(dense).max(axis=0) / 127, 1e-9).astype(np.float32)
        numbers = np.ascontiguousarray(np.rint(dense / steps).clip(-127, 127).astype(np.int8))
        inputs = [state, self._constant(f"{name}.numbers", numbers), self._constant(f"{name}.steps", steps)]
        zeros = self._constant(f"{name}.zeros", np.zeros(len(steps), dtype=np.int8))
        return self._node("DynamicQuantizeMatMul", [*inputs, zeros, bias], name)

    def _constant(self, name: str, value: Any) -> str:
        from onnx import numpy_helper

        self.constants.append(numpy_helper.from_array(value, name))
        return name

    def _node(
        self, kind: str, inputs: list[str], output: str, *, domain: str = CONTRIB, **settings: Any
    ) -> str:
        self._add(kind, inputs, [output], domain=domain, **settings)
        return output

    def _add(self, kind: str, inputs: list[str], outputs: list[str], *, domain: str, **settings: Any) -> None:
        from onnx import helper

        self.nodes.append(helper.make_node(kind, inputs, outputs, domain=domain, **settings))
