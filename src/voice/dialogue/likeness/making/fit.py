"""Fits how much likeness, words, subject and kind count, on businesses that did not teach the vectors.

  python fit.py FEATURES.json

Prints what is told rightly where 1, 2, 3 and 5 % of all lines are told wrongly, with another fifth of the businesses left out
each time, then the weights of a fit on all of them. FEATURES.json is written by bench/voice/write-features.ts.
"""
import json, random, sys
import torch

MOST = 12
NAMES = ['meaning', 'words', 'subject', 'has kind', 'lacks kind', 'none', 'strange words', 'no words']
rows = json.load(open(sys.argv[1]))
x = torch.zeros(len(rows), MOST + 1, len(NAMES))
there = torch.zeros(len(rows), MOST + 1, dtype=torch.bool)
right = torch.zeros(len(rows), MOST + 1, dtype=torch.bool)
for at, row in enumerate(rows):
    for place, fact in enumerate(row['facts'][:MOST]):
        has = fact['has']
        x[at, place, :5] = torch.tensor([fact['meaning'], fact['words'], fact['subject'], has is True, has is False])
        there[at, place], right[at, place] = True, fact['right']
    x[at, MOST, 5:] = torch.tensor([1, row['strange'] / max(1, row['terms']), row['terms'] == 0])
    there[at, MOST], right[at, MOST] = True, not right[at, :MOST].any()


def fit(some):
    weights = torch.tensor([10.0, 0, 0, 0, 0, 4, 0, 0], requires_grad=True)
    optimiser = torch.optim.LBFGS([weights], max_iter=200, line_search_fn='strong_wolfe')

    def loss():
        optimiser.zero_grad()
        scores = (x[some] @ weights).masked_fill(~there[some], -1e4)
        lost = scores.logsumexp(1) - scores.masked_fill(~right[some], -1e4).logsumexp(1)
        total = lost.mean() + 1e-4 * weights.square().sum()
        total.backward()
        return total

    optimiser.step(loss)
    return weights.detach()


trades = sorted({row['trade'] for row in rows})
random.Random(1).shuffle(trades)
part = torch.tensor([trades.index(row['trade']) % 5 for row in rows])
chance, best = torch.zeros(len(rows)), torch.zeros(len(rows), dtype=torch.long)
for one in range(5):
    left = part == one
    scores = (x[left] @ fit(~left)).masked_fill(~there[left], -1e4)
    chance[left], best[left] = scores.softmax(1)[:, :MOST].max(1)
good = right[torch.arange(len(rows)), best]
answered = sum(not bool(one) for one in right[:, MOST])
asked = sum(not row['talk'] for row in rows)
print('right fact first', f'{100 * good.sum() / answered:.1f} %')
for limit in (0.01, 0.02, 0.03, 0.05):
    told = wrong = most = bar = 0
    for at in chance.argsort(descending=True):
        told, wrong = told + good[at].item(), wrong + (not good[at])
        if wrong <= limit * asked and told > most:
            most, bar = told, chance[at].item()
    print(f'wrong {limit:.0%}: told {100 * most / answered:.1f} % from a chance of {bar:.2f}')
print({name: round(weight, 2) for name, weight in zip(NAMES, fit(part >= 0).tolist())})
