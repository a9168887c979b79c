package io.redelay.guard;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import org.redisson.api.RedissonClient;
import org.redisson.client.RedisConnectionException;
import org.redisson.client.RedisNodeNotFoundException;
import org.redisson.client.RedisTimeoutException;

/**
 * Checks, while the application runs, whether the masters are fit for queues and locks:
 * that they evict no keys, write to their disk, and have memory left. A check that is off
 * for the guard at start-up is off here too.
 *
 * @since 0.1.0
 */
public final class RedisFitness {

	private final RedissonClient redisson;

	private final GuardSettings settings;

	private final double memoryThreshold;

	/**
	 * Creates an examination.
	 * @param redisson the client of the server
	 * @param settings what to check
	 * @param memoryThreshold the part of its memory a server may use before that is
	 * reported, from 0 to 1
	 */
	public RedisFitness(RedissonClient redisson, GuardSettings settings, double memoryThreshold) {
		this.redisson = redisson;
		this.settings = settings;
		this.memoryThreshold = memoryThreshold;
	}

	/**
	 * Examines each master, which takes six commands each. Blocks until they have
	 * answered.
	 * @return the fitness of each
	 * @throws RuntimeException if one does not answer
	 */
	public List<ServerFitness> examine() {
		return ServerFacts.masters(this.redisson).stream().map((node) -> examine(ServerFacts.of(node))).toList();
	}

	/**
	 * Returns whether an examination failed because there was no answer. Otherwise Redis
	 * answers, but refuses to say how it is, as to users that may not run {@code INFO}.
	 * @param failure what {@link #examine()} threw
	 * @return whether there was none
	 */
	public static boolean isWithoutAnswer(Throwable failure) {
		for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
			if (cause instanceof RedisTimeoutException || cause instanceof RedisConnectionException
					|| cause instanceof RedisNodeNotFoundException || cause instanceof IOException) {
				return true;
			}
		}
		return false;
	}

	ServerFitness examine(ServerFacts server) {
		List<Finding> findings = new ArrayList<>();
		boolean full = server.isLimited() && server.countedMemory() >= server.memory() && !server.evictsAnyKey();
		if (server.memory() > 0 && server.usedMemory() >= this.memoryThreshold * server.memory()) {
			findings.add(memory(server, full));
		}
		if (this.settings.evictionPolicy() != GuardLevel.OFF && server.evicts()) {
			findings.add(server.evicting(this.settings.evictionPolicy()));
		}
		if (this.settings.persistence() != GuardLevel.OFF) {
			String failed = server.failedWrite();
			if (Boolean.FALSE.equals(server.isPersistent())) {
				findings.add(server.forgetful(this.settings.persistence()));
			}
			else if (failed != null) {
				findings.add(new Finding(this.settings.persistence(),
						"Redis at " + server.address() + " could not write " + failed
								+ ": a restart loses messages, and it may refuse new ones.",
						"Look at its log and at the room on its disk."));
			}
		}
		String policy = server.evictionPolicy();
		return new ServerFitness(server.address(), server.usedMemory(), server.memory(), server.isLimited(),
				(policy != null) ? policy : "unknown", full, server.role(), List.copyOf(findings));
	}

	private static Finding memory(ServerFacts server, boolean full) {
		String used = String.format(Locale.ROOT, "%.0f %%", 100.0 * server.usedMemory() / server.memory());
		String what = "Redis at " + server.address() + " uses " + used + " of "
				+ (server.isLimited() ? "'maxmemory'" : "the memory of its machine, and has no 'maxmemory'");
		return new Finding(GuardLevel.WARN,
				full ? what + ": it refuses new messages. What is there is delivered."
						: what + (server.evictsAnyKey() ? ": messages and locks vanish when that is full."
								: server.isLimited() ? ": it refuses new messages when that is full."
										: ": its machine ends it when that is full."),
				"Let listeners catch up, purge what is not needed, dead and completed messages among it, or give it more"
						+ " memory.");
	}

}
