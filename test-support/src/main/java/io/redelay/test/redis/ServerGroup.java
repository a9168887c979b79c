package io.redelay.test.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;

import io.redelay.embedded.redis.RedisServer;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;

/**
 * Servers that start within one limit of time and are closed together.
 */
final class ServerGroup implements AutoCloseable {

	private static final Duration PAUSE = Duration.ofMillis(5);

	private final List<RedisServer> servers = new ArrayList<>();

	private final Duration startupTimeout;

	private final long start = System.nanoTime();

	ServerGroup(Duration startupTimeout) {
		this.startupTimeout = startupTimeout;
	}

	RedisServer start(RedisServer.Builder builder) {
		RedisServer server = builder.startupTimeout(this.startupTimeout).start();
		this.servers.add(server);
		return server;
	}

	/**
	 * Waits until each replica has received the data of its master and follows it.
	 */
	void awaitReplication(List<RedisServer> replicas) {
		await("replicas follow their master", () -> replicas.stream().allMatch(ServerGroup::followsItsMaster));
	}

	/**
	 * Waits for a condition.
	 * @throws IllegalStateException if it does not come true before the time to start is
	 * over
	 */
	void await(String goal, Callable<Boolean> condition) {
		Duration remaining = this.startupTimeout.minusNanos(System.nanoTime() - this.start);
		try {
			// Zero would mean for ever.
			Awaitility.await()
				.atMost(remaining.compareTo(PAUSE) > 0 ? remaining : PAUSE)
				.pollDelay(Duration.ZERO)
				.pollInterval(PAUSE)
				.until(condition);
		}
		catch (ConditionTimeoutException ex) {
			throw new IllegalStateException(
					"Gave up after %s waiting until %s:%n%s".formatted(this.startupTimeout, goal, logs()), ex);
		}
	}

	/**
	 * Returns a server that can report on the others.
	 */
	static RedisServer anyRunning(String kind, List<RedisServer> servers) {
		return servers.stream()
			.filter(RedisServer::isRunning)
			.findFirst()
			.orElseThrow(() -> new IllegalStateException("No %s runs".formatted(kind)));
	}

	private static boolean followsItsMaster(RedisServer replica) {
		return String.valueOf(replica.command("INFO", "replication")).contains("master_link_status:up\r\n");
	}

	private String logs() {
		return this.servers.stream()
			.map((server) -> "--- port %d%n%s".formatted(server.port(), server.log()))
			.collect(Collectors.joining("\n"));
	}

	/**
	 * Closes the servers, those that started last before the others.
	 */
	@Override
	public void close() {
		for (int i = this.servers.size() - 1; i >= 0; i--) {
			this.servers.get(i).close();
		}
	}

}
