package io.redelay.queue.actuate;

import java.util.Map;
import java.util.TreeMap;

import io.redelay.lock.quorum.QuorumLockProvider;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;

/**
 * Reports which servers of a quorum of locks answer: {@code DEGRADED} when one is away,
 * {@code DOWN} when there is no majority. It sends no request: the quorum itself probes a
 * server that is away.
 *
 * @since 0.1.0
 */
public final class QuorumHealthIndicator implements HealthIndicator {

	private final QuorumLockProvider quorum;

	/**
	 * Creates an indicator.
	 * @param quorum knows which servers answer
	 */
	public QuorumHealthIndicator(QuorumLockProvider quorum) {
		this.quorum = quorum;
	}

	@Override
	public Health health() {
		Map<String, Boolean> availability = this.quorum.availability();
		Map<String, String> servers = new TreeMap<>();
		availability.forEach((server, available) -> servers.put(server, available ? "available" : "away"));
		long available = availability.values().stream().filter(Boolean::booleanValue).count();
		return Health.status(status(available, availability.size())).withDetail("servers", servers).build();
	}

	private static Status status(long available, int servers) {
		if (2 * available <= servers) {
			return Status.DOWN;
		}
		return (available < servers) ? RedisHealthIndicator.DEGRADED : Status.UP;
	}

}
