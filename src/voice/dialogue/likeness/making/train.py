"""Teaches the vectors which facts answer a caller's question, and that often none does.

  python train.py PIECES.json START.onnx OUT.onnx [--leave-out 4] [--epochs 6] [--minutes 8]

Of every N trades one is left out and judged after each epoch (0 leaves out none). Run again with the same OUT, it goes
on where it was stopped.
"""
import argparse, json, os, random, time
import torch
import torch.nn.functional as F
from network import ModelFile, Network

torch.set_num_threads(2)
ask = argparse.ArgumentParser()
for name in ('pieces', 'start', 'out'):
    ask.add_argument(name)
for name, kind, given in (
    ('leave-out', int, 6), ('frozen', int, 4), ('lines', int, 32), ('part', int, 0), ('epochs', int, 6), ('minutes', float, 8.3), ('at-once', int, 2),
    ('rate', float, 1e-4), ('gone', float, 0.3), ('keep', float, 2.0), ('drop', float, 0.1),
):
    ask.add_argument(f'--{name}', type=kind, default=given)
given = ask.parse_args()
began = time.time()


class Trade:
    def __init__(self, found):
        # Some lines of each are enough: many trades teach more than many lines of few.
        self.lines = random.Random(found['name']).sample(found['lines'], min(given.lines, len(found['lines'])))
        self.asked = [line['pieces'] for line in self.lines]
        self.texts = [texts[-1] for texts in found['facts']]
        self.owner = torch.arange(len(self.texts))
        self.answers = torch.zeros(len(self.lines), len(found['facts']), dtype=torch.bool)
        for at, line in enumerate(self.lines):
            self.answers[at, line['facts']] = True

    def likeness(self, asked, texts):
        """Of each line with each fact, by its nearest text."""
        near = asked @ texts.T
        facts = torch.full(self.answers.shape, -1.0)
        return facts.scatter_reduce(1, self.owner.expand_as(near), near, 'amax')


trades = [Trade(found) for found in json.load(open(given.pieces)) if found['lines']]
left_out = [t for at, t in enumerate(trades) if given.leave_out and at % given.leave_out == given.part]
taught = [t for t in trades if t not in left_out]
file = ModelFile(given.start)
net = Network(file.weights(), given.frozen, given.drop)
scale = torch.nn.Parameter(torch.tensor([18.0, 0.42]))  # how much a likeness counts, and from where on a fact answers
begun = f'{given.pieces}.{given.frozen}.begun'
known = torch.load(begun) if os.path.exists(begun) else []
net.eval()
for at, t in enumerate(trades):
    if at == len(known):
        states = net.begin(t.asked + t.texts)
        with torch.no_grad():
            known.append((states, net(states)))
        if at % 20 == 19 or at == len(trades) - 1:
            torch.save(known, begun)
            print(f'{time.time() - began:.0f} s: {at + 1} trades begun', flush=True)
    t.begun, t.before = known[at][0], known[at][1] @ known[at][1].T


def loss_of(t, vectors):
    logits = scale[0] * (t.likeness(*vectors.split([len(t.asked), len(t.texts)])) - scale[1])
    none = torch.zeros(len(logits), 1)
    has = t.answers.any(1)
    every = torch.cat([logits, none], 1)
    right = torch.cat([t.answers, ~has[:, None]], 1)
    told = every.logsumexp(1) - every.masked_fill(~right, -1e4).logsumexp(1)
    # Without the facts that answer it, nothing answers.
    gone = torch.cat([logits.masked_fill(t.answers, -1e4), none], 1)[has].logsumexp(1)
    # Questions stay as near to each other as they were, and so do facts.
    asked = len(t.asked)
    moved = vectors @ vectors.T - t.before
    keep = moved[:asked, :asked].square().mean() + moved[asked:, asked:].square().mean()
    return told.mean() + given.gone * gone.mean() + given.keep * keep


def judge(some):
    """Share with the right fact first; and told rightly of all lines, where 3 % are told wrongly."""
    net.eval()
    rows, first, among, answered = [], 0, 0, 0
    with torch.no_grad():
        for t in some:
            near = t.likeness(*net(t.begun).split([len(t.asked), len(t.texts)]))
            best = near.topk(min(3, near.shape[1]), 1)
            for at, line in enumerate(t.lines):
                right = t.answers[at][best.indices[at]]
                answered += bool(line['facts']); first += bool(right[0]); among += bool(right.any())
                rows.append((best.values[at][0].item(), bool(right[0])))
    rows.sort(reverse=True)
    right = wrong = most = bar = 0
    for score, good in rows:
        right, wrong = right + good, wrong + (not good)
        if wrong <= 0.03 * len(rows) and right > most:
            most, bar = right, score
    return f'first {first / answered:.3f} among three {among / answered:.3f} told {most / answered:.3f} from {bar:.3f}'


layers = list(net.learnt().values())
optimiser = torch.optim.AdamW([{'params': layers}, {'params': [scale], 'lr': 2e-2, 'weight_decay': 0}], given.rate, weight_decay=0.01)
steps = given.epochs * -(-len(taught) // given.at_once)
schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda at: min((at + 1) / (0.1 * steps), max(0.02, 1 - at / steps)))
state = f'{given.out}.state'
epoch = at = 0
if os.path.exists(state):
    kept = torch.load(state, weights_only=False)
    net.load_state_dict(kept['net']); scale.data = kept['scale']
    optimiser.load_state_dict(kept['optimiser']); schedule.load_state_dict(kept['schedule'])
    epoch, at = kept['epoch'], kept['at']
elif left_out:
    print(len(taught), 'trades,', len(left_out), 'left out: before', judge(left_out), flush=True)

while epoch < given.epochs:
    order = random.Random(epoch).sample(taught, len(taught))
    total = 0.0
    net.train()
    while at < len(order):
        some = order[at:at + given.at_once]
        loss = sum(loss_of(t, net(t.begun)) for t in some) / len(some)
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(layers, 1.0)
        optimiser.step(); schedule.step()
        total += loss.item() * len(some)
        at += given.at_once
        if time.time() - began > 60 * given.minutes:
            torch.save(dict(net=net.state_dict(), scale=scale.data, optimiser=optimiser.state_dict(),
                            schedule=schedule.state_dict(), epoch=epoch, at=at), state)
            print('stopped, goes on with the same command', flush=True)
            raise SystemExit(3)
    epoch, at = epoch + 1, 0
    print(f'{time.time() - began:.0f} s, epoch {epoch}: loss {total / len(order):.3f}, scale {scale.tolist()}',
          judge(left_out) if left_out else '', flush=True)
file.save(given.out, net.learnt())
