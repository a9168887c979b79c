package io.redelay.test.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.redelay.embedded.redis.RedisServer;

/**
 * The configuration of any group of servers before it starts.
 *
 * @param <B> the builder of a kind of group
 * @param <G> the kind of group
 */
abstract class ServerGroupBuilder<B extends ServerGroupBuilder<B, G>, G> {

	/**
	 * By default a master waits five seconds for more replicas before it sends its data.
	 */
	private static final String PROMPT_REPLICATION = "repl-diskless-sync-delay 0";

	private final List<String> lines = new ArrayList<>();

	private Duration startupTimeout = Duration.ofSeconds(60);

	/**
	 * Adds lines to the redis.conf of each server that holds data.
	 * @param lines lines such as {@code "maxmemory 5mb"}
	 * @return this builder
	 */
	public B config(String... lines) {
		this.lines.addAll(List.of(lines));
		return self();
	}

	/**
	 * Sets how long to wait until the servers know and follow each other as they should.
	 * @param startupTimeout the longest time to wait for all of it, 60 seconds by default
	 * @return this builder
	 */
	public B startupTimeout(Duration startupTimeout) {
		this.startupTimeout = startupTimeout;
		return self();
	}

	/**
	 * Starts the servers and waits until they can be used. If that fails, those that
	 * started are closed.
	 * @return running servers
	 * @throws IllegalStateException if they don't get ready in time
	 */
	public G start() {
		ServerGroup group = new ServerGroup(this.startupTimeout);
		try {
			return start(group);
		}
		catch (RuntimeException ex) {
			group.close();
			throw ex;
		}
	}

	/**
	 * Starts the servers of a group and waits until they can be used.
	 */
	abstract G start(ServerGroup group);

	abstract B self();

	/**
	 * Returns a builder of a server that holds data.
	 */
	RedisServer.Builder dataServer() {
		return RedisServer.builder().config(PROMPT_REPLICATION).config(this.lines.toArray(String[]::new));
	}

	static int atLeast(int least, String name, int value) {
		if (value < least) {
			throw new IllegalArgumentException("'%s' must be at least %d, not %d".formatted(name, least, value));
		}
		return value;
	}

}
