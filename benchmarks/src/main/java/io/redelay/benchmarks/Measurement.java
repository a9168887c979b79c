package io.redelay.benchmarks;

/**
 * One contender at one piece of work in one round.
 *
 * @param round the round, from 1; 0 is the warm-up
 * @param work what was done
 * @param contender who did it
 * @param messages how many messages it was about
 * @param perSecond how many messages a second
 * @param messagesPerCommand how many messages went with one command
 * @param innerPerCommand how many commands a script called
 * @param redisCpuMicros time that Redis computed for a message
 * @param clientCpuMicros time that this process computed for a message
 * @param bytes how much more memory Redis used afterwards, for a message
 */
record Measurement(int round, Work work, String contender, int messages, double perSecond, double messagesPerCommand,
		double innerPerCommand, double redisCpuMicros, double clientCpuMicros, double bytes) {

}
