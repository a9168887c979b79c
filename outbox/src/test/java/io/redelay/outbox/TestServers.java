package io.redelay.outbox;

import java.net.URI;
import java.util.UUID;

import io.redelay.embedded.redis.RedisServer;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * The servers that the tests of a JVM share. Each test takes fresh names.
 */
public final class TestServers implements BeforeAllCallback {

	private static final ExtensionContext.Namespace NAMESPACE = ExtensionContext.Namespace.create(TestServers.class);

	private final boolean postgres;

	private RedisServer redis;

	private PostgresServer database;

	private TestServers(boolean postgres) {
		this.postgres = postgres;
	}

	/**
	 * A Redis, and H2 in memory.
	 */
	public static TestServers withH2() {
		return new TestServers(false);
	}

	/**
	 * A Redis and a PostgreSQL; skips the tests if none is installed.
	 */
	public static TestServers withPostgres() {
		return new TestServers(true);
	}

	@Override
	public void beforeAll(ExtensionContext context) {
		if (this.postgres) {
			this.database = PostgresServer.shared(context);
		}
		this.redis = context.getRoot()
			.getStore(ExtensionContext.StoreScope.LAUNCHER_SESSION, NAMESPACE)
			.computeIfAbsent(RedisServer.class, (key) -> RedisServer.start(), RedisServer.class);
	}

	public URI redis() {
		return this.redis.uri();
	}

	/**
	 * Where an empty database is.
	 */
	public String newDatabase() {
		String name = "d" + UUID.randomUUID().toString().replace("-", "");
		return (this.database != null) ? this.database.newSchema(name) : "jdbc:h2:mem:" + name + ";DB_CLOSE_DELAY=-1";
	}

	public static String queue() {
		return "q-" + UUID.randomUUID();
	}

}
