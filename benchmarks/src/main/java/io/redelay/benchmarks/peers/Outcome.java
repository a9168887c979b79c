package io.redelay.benchmarks.peers;

import java.util.Map;

import io.redelay.benchmarks.peers.item.Figure;

/**
 * What came of one item of one contender in one round.
 *
 * @param round the round, from 1; those before are the warm-up
 * @param item the name of the item
 * @param title the title of the item
 * @param contender the name of the contender
 * @param figures what was measured
 * @param missing why there are no figures, or empty
 */
record Outcome(int round, String item, String title, String contender, Map<Figure, Double> figures, String missing) {

}
