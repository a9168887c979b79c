package io.redelay.guard;

import java.util.List;

/**
 * Whether a master is fit for queues and locks.
 *
 * @param address where it is
 * @param usedBytes how much memory its data has
 * @param memoryBytes how much it may use: its limit, or else the memory of its machine; 0
 * if neither is known
 * @param limited whether it has a limit
 * @param evictionPolicy its eviction policy, or {@code unknown}
 * @param full whether it refuses messages, because its memory is full
 * @param role its role: {@code master} as a rule, {@code slave} if it has a master itself
 * @param findings what is wrong, and what to do about it
 * @since 0.1.0
 */
public record ServerFitness(String address, long usedBytes, long memoryBytes, boolean limited, String evictionPolicy,
		boolean full, String role, List<Finding> findings) {

}
