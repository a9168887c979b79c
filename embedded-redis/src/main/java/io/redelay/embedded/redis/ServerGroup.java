package io.redelay.embedded.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Servers that start together or not at all.
 */
final class ServerGroup {

	/**
	 * By default a master waits five seconds for more replicas before it sends its data.
	 */
	static final String PROMPT_REPLICATION = "repl-diskless-sync-delay 0";

	private final List<RedisServer> servers = new ArrayList<>();

	private ServerGroup() {
	}

	/**
	 * Runs what starts the servers, and closes those that started if it fails.
	 */
	static <T> T start(Function<ServerGroup, T> starter) {
		ServerGroup group = new ServerGroup();
		try {
			return starter.apply(group);
		}
		catch (RuntimeException ex) {
			close(group.servers);
			throw ex;
		}
	}

	static void close(List<RedisServer> servers) {
		servers.forEach(RedisServer::close);
	}

	static int atLeast(int least, String name, int value) {
		if (value < least) {
			throw new IllegalArgumentException("'%s' must be at least %d, not %d".formatted(name, least, value));
		}
		return value;
	}

	static boolean followsItsMaster(RedisServer replica) {
		return String.valueOf(replica.command("INFO", "replication")).contains("master_link_status:up\r\n");
	}

	RedisServer add(RedisServer.Builder builder) {
		RedisServer server = builder.start();
		this.servers.add(server);
		return server;
	}

	void await(Deadline deadline, String goal, Deadline.Condition condition) {
		if (!deadline.await(condition)) {
			throw new RedisStartException("Gave up after %s waiting until %s".formatted(deadline.timeout(), goal),
					logs());
		}
	}

	private String logs() {
		return this.servers.stream()
			.map((server) -> "--- port %d%n%s".formatted(server.port(), server.log()))
			.collect(Collectors.joining("\n"));
	}

}
