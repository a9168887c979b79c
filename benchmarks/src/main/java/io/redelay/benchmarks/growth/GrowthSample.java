package io.redelay.benchmarks.growth;

/**
 * What claims cost in one round.
 *
 * @param backlog what there were many of
 * @param messages how many of them
 * @param again whether it is the smallest backlog once more, on an empty Redis, after all
 * others
 * @param round the round, from 1
 * @param claims how many claims were made, of 100 messages each
 * @param micros how long Redis computed a claim, in microseconds
 * @param bytes the memory of Redis that a message of the backlog takes
 */
record GrowthSample(Backlog backlog, int messages, boolean again, int round, int claims, double micros, double bytes) {

}
