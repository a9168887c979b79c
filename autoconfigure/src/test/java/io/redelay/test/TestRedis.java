package io.redelay.test;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.queue.admin.engine.QueueChecks;
import io.redelay.queue.wire.UnknownKeys;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.utility.DockerImageName;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The one Redis that the tests of a JVM share, and a client of it. Nothing is ever
 * flushed: each test takes fresh names.
 * <p>
 * After each test its queues are checked: see {@link QueueChecks}.
 * <p>
 * The system property {@code redelay.test.redis} chooses it: {@code embedded}, the
 * default, starts a process ({@code redelay.test.redis-server} may name its executable);
 * {@code testcontainers} starts the image that {@code redelay.test.redis-image} names, or
 * skips the tests if there is no Docker.
 */
public final class TestRedis implements BeforeAllCallback, AfterEachCallback {

	/**
	 * The queues of tests that have not been checked.
	 */
	private static final Queue<String> UNCHECKED = new ConcurrentLinkedQueue<>();

	private static final ExtensionContext.Namespace NAMESPACE = ExtensionContext.Namespace.create(TestRedis.class);

	private Running running = Running.NOWHERE;

	private TestRedis() {
	}

	/**
	 * Gives the shared Redis, to be registered as a static extension.
	 * @return the extension
	 */
	public static TestRedis shared() {
		return new TestRedis();
	}

	/**
	 * Gives a queue name that no other test uses.
	 * @return the name
	 */
	public static String queue() {
		String queue = "q-" + UUID.randomUUID();
		UNCHECKED.add(queue);
		return queue;
	}

	/**
	 * Connects to a server of the test's own.
	 * @param uri where it is
	 * @return a client, to be shut down by the caller
	 */
	public static RedissonClient connect(URI uri) {
		return connect(uri, Duration.ofSeconds(10));
	}

	/**
	 * Connects to a server of the test's own.
	 * @param uri where it is
	 * @param timeout how long the client waits for an answer
	 * @return a client, to be shut down by the caller
	 */
	public static RedissonClient connect(URI uri, Duration timeout) {
		Config config = config();
		config.useSingleServer()
			.setAddress(uri.toString())
			.setTimeout((int) timeout.toMillis())
			.setConnectTimeout(10_000)
			.setConnectionPoolSize(16)
			.setConnectionMinimumIdleSize(1)
			.setSubscriptionConnectionMinimumIdleSize(1)
			.setSubscriptionConnectionPoolSize(4);
		return Redisson.create(config);
	}

	/**
	 * Gives a configuration with few threads and without a place to connect to.
	 * @return the configuration
	 */
	public static Config config() {
		return new Config().setThreads(4).setNettyThreads(4).setCodec(StringCodec.INSTANCE);
	}

	@Override
	public void beforeAll(ExtensionContext context) {
		this.running = context.getStore(ExtensionContext.StoreScope.LAUNCHER_SESSION, NAMESPACE)
			.computeIfAbsent(Running.class, (key) -> start(), Running.class);
		Assumptions.assumeTrue(this.running.isThere(),
				"Tests were asked to run on Testcontainers, but there is no Docker");
	}

	@Override
	public void afterEach(ExtensionContext context) {
		List<String> names = new ArrayList<>();
		for (String name = UNCHECKED.poll(); name != null; name = UNCHECKED.poll()) {
			names.add(name);
		}
		boolean unsound = context.getRequiredTestClass().isAnnotationPresent(UnsoundQueues.class)
				|| context.getRequiredTestMethod().isAnnotationPresent(UnsoundQueues.class);
		if (this.running.isThere() && !unsound) {
			Set<String> known = client().<String>getSet("redelay:queues", StringCodec.INSTANCE).readAll();
			for (String name : names) {
				check(name);
				known.stream()
					.filter((queue) -> queue.startsWith(name + "~") || queue.startsWith(name + "@"))
					.forEach(this::check);
			}
		}
	}

	private void check(String queue) {
		assertThat(this.running.checks().check(queue).problems()).as("what is wrong in Redis").isEmpty();
		assertThat(UnknownKeys.of(client(), queue)).as("keys that the store does not know").isEmpty();
	}

	/**
	 * Where it is.
	 * @return a URI such as {@code redis://127.0.0.1:15000}
	 */
	public URI uri() {
		return this.running.uri();
	}

	/**
	 * A client of it.
	 * @return the client, which all tests share
	 */
	public RedissonClient client() {
		return this.running.client();
	}

	private static Running start() {
		String kind = System.getProperty("redelay.test.redis", "embedded").toLowerCase(Locale.ROOT);
		return switch (kind) {
			case "embedded" -> {
				RedisServer server = RedisServer.start();
				yield running(server.uri(), server);
			}
			case "testcontainers" ->
				DockerClientFactory.instance().isDockerAvailable() ? startContainer() : Running.NOWHERE;
			default -> throw new IllegalArgumentException(
					"'redelay.test.redis' must be 'embedded' or 'testcontainers', not '%s'".formatted(kind));
		};
	}

	@SuppressWarnings("resource") // closed with Running
	private static Running startContainer() {
		String image = System.getProperty("redelay.test.redis-image", "redis:8");
		GenericContainer<?> container = new GenericContainer<>(DockerImageName.parse(image)).withExposedPorts(6379);
		container.start();
		URI uri = URI.create("redis://%s:%d".formatted(container.getHost(), container.getFirstMappedPort()));
		return running(uri, container);
	}

	private static Running running(URI uri, AutoCloseable server) {
		RedissonClient client = connect(uri);
		ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
		return new Running(uri, client, server, timer, new QueueChecks(client, timer));
	}

	private record Running(URI uri, RedissonClient client, AutoCloseable server, ScheduledExecutorService timer,
			QueueChecks checks) implements AutoCloseable {

		static final Running NOWHERE = new Running(null, null, null, null, null);

		boolean isThere() {
			return this.uri != null;
		}

		@Override
		public void close() throws Exception {
			if (isThere()) {
				this.timer.shutdownNow();
				this.client.shutdown();
				this.server.close();
			}
		}

	}

}
