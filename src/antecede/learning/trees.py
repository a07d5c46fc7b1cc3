"""Gradient-boosted trees: LambdaMART (Burges, 2010) with LightGBM, the extra `antecede[learn]`.

Trees see interactions that a sum cannot express, such as a class that counts only for short texts. They pay with some
hundred topics; with fewer, linear weights are better. LightGBM is deterministic here: one thread, a fixed seed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.ranking.weights import TreeModel, encode_name, load_lightgbm

if TYPE_CHECKING:
    from antecede.learning.examples import Examples

FEW_TOPICS = 200
"""With fewer topics the trees are smaller and fewer."""
PARAMETERS: dict[str, Any] = {
    "objective": "lambdarank",
    "learning_rate": 0.05,
    "min_data_in_leaf": 50,
    "lambdarank_truncation_level": 100,
    "feature_fraction": 0.7,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "lambda_l2": 5,
    "label_gain": [0, 1],
    "deterministic": True,
    "force_row_wise": True,
    "num_threads": 1,
    "seed": 0,
    "verbose": -1,
}


def fit_trees(examples: Examples) -> TreeModel:
    """Trees that rank the relevant candidates first."""
    lightgbm = load_lightgbm()
    topics = [each for each in examples.topics if each.relevant.any()]
    few = len(topics) < FEW_TOPICS
    data = lightgbm.Dataset(
        np.concatenate([each.values for each in topics]),
        np.concatenate([each.relevant for each in topics]).astype(np.int8),
        group=[len(each.relevant) for each in topics],
        feature_name=[encode_name(each) for each in examples.features],
        free_raw_data=True,
    )
    parameters = {**PARAMETERS, "num_leaves": 7 if few else 15}
    return TreeModel("learned trees", lightgbm.train(parameters, data, 100 if few else 200).model_to_string())
