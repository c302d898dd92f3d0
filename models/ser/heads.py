"""The two linear heads: how they are fitted, and how they lie in heads.f32."""

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_softmax, logsumexp

import emodb

# What one clip, all its variants together, weighs against the penalty. It sets the scale of the arousal logit, for which
# the common spread of 1.5 in calm-voice's baseline is made: whoever changes one measures both again.
STRENGTH = 0.018


class Head:
    """Softmax regression on features that are standardised by their own mean and deviation."""

    def __init__(self, mean, deviation, weights, bias):
        self.mean, self.deviation, self.weights, self.bias = mean, deviation, weights, bias

    def scores(self, features):
        return (features - self.mean) / self.deviation @ self.weights.T + self.bias

    def standardised_by(self, mean, deviation):
        """The same head on features standardised otherwise."""
        weights = self.weights * deviation / self.deviation
        bias = self.bias + (self.weights / self.deviation) @ (mean - self.mean)
        return Head(mean, deviation, weights, bias)


def fit(features, labels, classes, variants):
    """L2-penalised, every class with the same total weight; deterministic."""
    mean, deviation = features.mean(0), features.std(0) + 1e-9
    # In single precision: it halves the time, and the heads are stored so.
    x = ((features - mean) / deviation).astype(np.float32)
    target = labels[:, None] == np.arange(classes)
    weight = STRENGTH / variants * (target / target.sum(0)).sum(1) * len(labels) / classes
    shape = (classes, x.shape[1])
    # Two opposite rows are one vector, and are to cost as much as one.
    penalty = 2.0 if classes == 2 else 1.0

    def loss(flat):
        weights, bias = flat[: -classes].reshape(shape), flat[-classes:]
        scores = x @ weights.T.astype(np.float32) + bias
        total = logsumexp(scores, axis=1)
        error = weight[:, None] * (np.exp(scores - total[:, None]) - target)
        value = weight @ (total - scores[target]) + 0.5 * penalty * (weights**2).sum()
        slope = np.concatenate([(error.T.astype(np.float32) @ x + penalty * weights).ravel(), error.sum(0)])
        return value, slope

    start = np.zeros(classes * (x.shape[1] + 1))
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 500, "gtol": 1e-4}).x
    return Head(mean, deviation, found[: -classes].reshape(shape), found[-classes:])


def arousal_head(variants, emotions):
    """High arousal against low. `variants` are arrays [clips, 2048] of the same clips, of which `emotions` tells."""
    features, emotions = np.concatenate(variants), np.tile(emotions, len(variants))
    felt = np.isin(emotions, [*emodb.HIGH, *emodb.LOW])
    return fit(features[felt], np.isin(emotions[felt], [*emodb.HIGH]).astype(int), 2, len(variants))


def arousal_logit(head, features):
    low, high = head.scores(features).T
    return high - low


class Heads:
    """Five classes, and high arousal (anger, fear, joy) against low (neutral, sadness, boredom)."""

    def __init__(self, variants, emotions):
        """As for `arousal_head`."""
        self.arousal = arousal_head(variants, emotions)
        features, emotions = np.concatenate(variants), np.tile(emotions, len(variants))
        named = np.isin(emotions, emodb.CLASSES)
        labels = np.array([emodb.CLASSES.index(emotion) for emotion in emotions[named]])
        self.classes = fit(features[named], labels, len(emodb.CLASSES), len(variants))

    def arousal_logit(self, features):
        return arousal_logit(self.arousal, features)

    def probabilities(self, features, temperature=1.0):
        return np.exp(log_softmax(self.classes.scores(features) / temperature, axis=1))

    def write(self, path):
        """mean, deviation, class weights, class bias, arousal weights, arousal bias; f32, little-endian."""
        arousal = self.arousal
        classes = self.classes.standardised_by(arousal.mean, arousal.deviation)
        parts = [
            arousal.mean,
            arousal.deviation,
            classes.weights,
            classes.bias,
            arousal.weights[1] - arousal.weights[0],
            arousal.bias[1] - arousal.bias[0],
        ]
        np.concatenate([np.ravel(part) for part in parts]).astype("<f4").tofile(path)
