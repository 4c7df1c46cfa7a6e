"""The network of `sentences.onnx` in PyTorch: reads the weights out of the file, and writes changed ones into a copy.

The graph and the tables of word pieces and places stay as they are; only weights of the six layers change.
"""
import re
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

LAYERS, HEADS, WIDTH = 6, 12, 384
TYPES = {1: '<f4', 2: 'u1', 3: 'i1'}


def number(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def fields(data, at, end):
    """The fields of a protobuf message: number, and value or (begin, end)."""
    while at < end:
        key, at = number(data, at)
        if key & 7 == 0:
            value, at = number(data, at)
            yield key >> 3, value
        else:
            size = {1: 8, 5: 4}.get(key & 7)
            if size is None:
                size, at = number(data, at)
            yield key >> 3, (at, at + size)
            at += size


class ModelFile:
    """An ONNX file, and where the numbers of each weight lie in it."""

    def __init__(self, path):
        self.data = bytearray(open(path, 'rb').read())
        text = lambda span: bytes(self.data[slice(*span)]).decode()
        [graph] = [v for n, v in fields(self.data, 0, len(self.data)) if n == 7]
        self.places, self.inner = {}, {}
        for n, span in fields(self.data, *graph):
            if n == 5:  # a weight: dimensions 1, type 2, floats 4, whole numbers 5, name 8, bytes 9
                parts = list(fields(self.data, *span))
                shape = [v for m, v in parts if m == 1]
                where = next((v for m, v in parts if m in (4, 5, 9)), None)
                self.places[next(text(v) for m, v in parts if m == 8)] = where, shape, dict(parts)[2]
            elif n == 1:  # a node: inputs 1, outputs 2, operator 4
                parts = list(fields(self.data, *span))
                if any(m == 4 and text(v) == 'MatMulInteger' for m, v in parts):
                    ins, outs = ([text(v) for m, v in parts if m == k] for k in (1, 2))
                    layer = re.match(r'/(b/encoder/layer.*)/MatMul', outs[0])[1].replace('/', '.')
                    self.inner[f'{layer}.weight'] = ins[1].removesuffix('_quantized')

    def read(self, name):
        where, shape, kind = self.places[name]
        return np.frombuffer(bytes(self.data[slice(*where)]), TYPES[kind]).reshape(shape).astype('f4')

    def write(self, name, values):
        (begin, end), _, kind = self.places[name]
        raw = np.ascontiguousarray(values).astype(TYPES[kind]).tobytes()
        assert len(raw) == end - begin, name
        self.data[begin:end] = raw

    def weights(self):
        """All weights; matrices are [in, out]."""
        found = {n: self.read(n) for n in self.places if re.match(r'b\..*\.(weight|bias)$', n)}
        for name, inner in self.inner.items():
            found[name] = self.read(f'{inner}_quantized') * self.read(f'{inner}_scale')
        for kind in ('word', 'position', 'token_type'):
            name = f'b.embeddings.{kind}_embeddings.weight'
            zero, _ = number(self.data, self.places[f'{name}_zero_point'][0][0])
            found[name] = (self.read(f'{name}_quantized') - zero) * self.read(f'{name}_scale')
        return {name: torch.tensor(value) for name, value in found.items()}

    def save(self, path, weights):
        """Writes the weights of the layers, matrices in eight bits with one scale for each column."""
        for name, value in weights.items():
            value = value.detach().numpy()
            if name in self.inner:
                scale = np.abs(value).max(0) / 127
                self.write(f'{self.inner[name]}_scale', scale)
                self.write(f'{self.inner[name]}_quantized', np.clip(np.round(value / scale), -127, 127))
            elif name in self.places:
                self.write(name, value)
        open(path, 'wb').write(self.data)


class Network(nn.Module):
    """Six layers, of which the first ones stay as they are; what those make of a text is computed once."""

    def __init__(self, weights, frozen=3, drop=0.1):
        super().__init__()
        self.frozen, self.drop = frozen, drop
        for name, value in weights.items():
            layer = re.search(r'layer\.(\d)', name)
            learns = layer is not None and int(layer[1]) >= frozen
            self.register_parameter(name.replace('.', '/'), nn.Parameter(value.clone(), requires_grad=learns))

    def get(self, name):
        return getattr(self, f'b.{name}'.replace('.', '/'))

    def learnt(self):
        return {name.replace('/', '.'): value for name, value in self.named_parameters() if value.requires_grad}

    def linear(self, x, name):
        return x @ self.get(f'{name}.weight') + self.get(f'{name}.bias')

    def norm(self, x, name):
        return F.layer_norm(x, (WIDTH,), self.get(f'{name}.weight'), self.get(f'{name}.bias'), 1e-12)

    def off(self, x):
        return F.dropout(x, self.drop, self.training)

    def layers(self, x, mask, some):
        for layer in (f'encoder.layer.{at}' for at in some):
            q, k, v = (
                self.linear(x, f'{layer}.attention.self.{one}').unflatten(2, (HEADS, -1)).transpose(1, 2)
                for one in ('query', 'key', 'value')
            )
            met = F.scaled_dot_product_attention(q, k, v, mask[:, None, None, :]).transpose(1, 2).flatten(2)
            met = self.off(self.linear(met, f'{layer}.attention.output.dense'))
            x = self.norm(x + met, f'{layer}.attention.output.LayerNorm')
            wide = F.gelu(self.linear(x, f'{layer}.intermediate.dense'))
            x = self.norm(x + self.off(self.linear(wide, f'{layer}.output.dense')), f'{layer}.output.LayerNorm')
        return x

    @torch.no_grad()
    def begin(self, texts):
        """What the frozen layers make of lists of word pieces."""
        word, place, kind = (self.get(f'embeddings.{one}_embeddings.weight') for one in ('word', 'position', 'token_type'))
        start = [self.norm(word[text] + place[:len(text)] + kind[0], 'embeddings.LayerNorm') for text in texts]
        return self.together(start, lambda x, mask: list(self.layers(x, mask, range(self.frozen))))

    def forward(self, begun):
        """Vectors of length one for what `begin` made."""

        def rest(x, mask):
            x = self.layers(x, mask, range(self.frozen, LAYERS)) * mask[..., None]
            return list(F.normalize(x.sum(1) / mask.sum(1, keepdim=True), dim=1))

        return torch.stack(self.together(begun, rest))

    @staticmethod
    def together(texts, work, at_once=48):
        """Does the work for some texts at a time, long ones together with long ones."""
        order = sorted(range(len(texts)), key=lambda at: len(texts[at]))
        done = [None] * len(texts)
        for begin in range(0, len(order), at_once):
            some = order[begin:begin + at_once]
            x = nn.utils.rnn.pad_sequence([texts[at] for at in some], batch_first=True)
            long = torch.tensor([len(texts[at]) for at in some])
            found = work(x, torch.arange(x.shape[1]) < long[:, None])
            for at, one in zip(some, found):
                done[at] = one if one.dim() == 1 else one[:len(texts[at])].clone()
        return done
