package io.redelay.benchmarks.option;

/**
 * What the messages with an option cost in a round.
 *
 * @param round the number of the round; those below 1 do not count
 * @param option the option
 * @param together how many are sent with one call; with 1, 16 are on their way
 * @param messages how many there are; a message that is published counts once
 * @param send what it cost to send one
 * @param life what it cost to send, claim, handle and acknowledge one
 */
record OptionSample(int round, SendOption option, int together, int messages, OptionCost send, OptionCost life) {

}
