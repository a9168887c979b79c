package io.redelay.benchmarks.option;

/**
 * What a message cost.
 *
 * @param commands commands of Redis, those that scripts call included
 * @param redisMicros what the process of Redis has computed, in microseconds
 * @param clientMicros what the process of the client has computed, in microseconds
 */
record OptionCost(double commands, double redisMicros, double clientMicros) {

}
