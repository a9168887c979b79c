package io.redelay.queue.actuate;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

import io.redelay.guard.Finding;
import io.redelay.guard.ServerFitness;
import io.redelay.scheduling.Scheduler;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;

/**
 * Reports whether Redis is fit for queues and locks: {@code DEGRADED} when its memory is
 * nearly full, when it evicts keys, or when it does not write to its disk; {@code DOWN}
 * when it is full or does not answer. However often the health is requested, one thread
 * examines Redis once in an interval, and no caller waits for longer than two seconds.
 *
 * @since 0.1.0
 */
public final class RedisHealthIndicator implements HealthIndicator {

	/**
	 * The status of a server that works, but will not for long. Boot answers it with HTTP
	 * status 200, unless {@code management.endpoint.health.status.http-mapping.degraded}
	 * is set. If it is, set {@code down} and {@code out-of-service} there as well, as
	 * Boot leaves out its own mappings then.
	 */
	public static final Status DEGRADED = new Status("DEGRADED");

	private final RedisWatch watch;

	/**
	 * Creates an indicator.
	 * @param examination examines Redis; may block
	 * @param interval for how long an answer is reused
	 * @param executor runs the examination
	 * @param clock the clock
	 */
	public RedisHealthIndicator(Supplier<List<ServerFitness>> examination, Duration interval, Executor executor,
			Scheduler clock) {
		this.watch = new RedisWatch(examination, interval, executor, clock::nanoTime);
	}

	@Override
	public Health health() {
		try {
			return health(this.watch.servers());
		}
		catch (TimeoutException ex) {
			return Health.down()
				.withDetail("problem", "Redis has not answered within " + RedisWatch.PATIENCE.toSeconds() + " s")
				.build();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return Health.unknown().withDetail("problem", "The thread was interrupted").build();
		}
		catch (ExecutionException ex) {
			return Health.down().withDetail("problem", "Redis cannot be asked: " + ex.getCause()).build();
		}
	}

	private static Health health(List<ServerFitness> servers) {
		boolean full = servers.stream().anyMatch(ServerFitness::full);
		boolean sound = servers.stream().allMatch((server) -> server.findings().isEmpty());
		Map<String, Object> details = new LinkedHashMap<>();
		servers.forEach((server) -> details.put(server.address(), details(server)));
		return Health.status(full ? Status.DOWN : sound ? Status.UP : DEGRADED).withDetail("servers", details).build();
	}

	private static Map<String, Object> details(ServerFitness server) {
		Map<String, Object> details = new LinkedHashMap<>();
		details.put("usedMemoryBytes", server.usedBytes());
		details.put("memoryBytes", server.memoryBytes());
		details.put("maxmemory", server.limited() ? "set" : "not set");
		details.put("evictionPolicy", server.evictionPolicy());
		if (!server.findings().isEmpty()) {
			details.put("problems", server.findings().stream().map(Finding::toString).toList());
		}
		return details;
	}

}
