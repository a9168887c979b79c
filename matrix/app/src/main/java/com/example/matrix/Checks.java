package com.example.matrix;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.micrometer.core.instrument.MeterRegistry;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.admin.DeadLetterFilter;
import io.redelay.queue.admin.QueueAdmin;

import org.springframework.aot.AotDetector;
import org.springframework.boot.SpringBootVersion;
import org.springframework.context.ApplicationContext;
import org.springframework.core.env.Environment;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.stereotype.Component;

/**
 * Each check uses one feature, and fails if it does not do what the guide says.
 */
@Component
class Checks {

	private final QueueOperations queues;

	private final QueueAdmin admin;

	private final Seen seen;

	private final Handlers handlers;

	private final Counter counter;

	private final MeterRegistry meters;

	private final ApplicationContext context;

	private String run = "";

	Checks(QueueOperations queues, QueueAdmin admin, Seen seen, Handlers handlers, Counter counter,
			MeterRegistry meters, ApplicationContext context) {
		this.queues = queues;
		this.admin = admin;
		this.seen = seen;
		this.handlers = handlers;
		this.counter = counter;
		this.meters = meters;
		this.context = context;
	}

	boolean run() {
		this.run = UUID.randomUUID().toString();
		boolean passed = check("send", this::send) & check("delay", this::delay) & check("retry", this::retry)
				& check("dead letter", this::deadLetter) & check("lock", this::lock) & check("topic", this::topic)
				& check("recurring", this::recurring) & check("ordering key", this::orderingKey)
				& check("limit", this::limit) & check("endpoint", this::endpoint) & check("health", this::health)
				& check("metric", this::metric);
		if (this.context.containsBean("suspendingHandler")) {
			passed &= check("kotlin", this::kotlin);
		}
		// What this ran on, as it sees it itself.
		System.out.println("on " + surroundings());
		return passed;
	}

	private void send() throws Exception {
		this.queues.send("plain", new Item(this.run, 1));
		require(this.seen.await("plain", this.run, 1).get(0).item().number() == 1, "Another payload came");
	}

	private void delay() throws Exception {
		String delayed = this.run + "-delayed";
		long began = System.nanoTime();
		this.queues.send("plain", new Item(delayed, 2), Duration.ofMillis(500));
		long millis = (this.seen.await("plain", delayed, 1).get(0).nanos() - began) / 1_000_000;
		// Redis cuts its microseconds off.
		require(millis >= 499, "It came after %d ms, and not after 500", millis);
	}

	private void retry() throws Exception {
		this.queues.send("retried", new Item(this.run, 3));
		this.seen.await("retried", this.run, 3);
		awaitEmpty("retried");
		require(this.seen.of("retried", this.run).size() == 3, "It was handled again after it had succeeded");
		require(this.admin.queues().info("retried").dead() == 0, "It is dead");
	}

	private void deadLetter() throws Exception {
		this.handlers.mend(false);
		this.queues.send("doomed", new Item(this.run, 4));
		this.seen.await("doomed", this.run, 2);
		await("It is not dead", () -> this.admin.queues().info("doomed").dead() == 1);
		String body = get("/actuator/queues/doomed");
		require(body.contains("\"dead\":1"), "The endpoint does not show the dead message: %s", body);
		this.handlers.mend(true);
		int redriven = this.admin.deadLetters().redrive("doomed", DeadLetterFilter.all()).redriven();
		require(redriven == 1, "%d messages were redriven", redriven);
		this.seen.await("doomed", this.run, 3);
		awaitEmpty("doomed");
		require(this.admin.queues().info("doomed").dead() == 0, "It is dead again");
	}

	private void lock() throws Exception {
		int before = this.counter.count();
		ExecutorService threads = Executors.newFixedThreadPool(4);
		try {
			List<CompletableFuture<Void>> ends = IntStream.range(0, 40)
				.mapToObj((i) -> CompletableFuture.runAsync(this.counter::increment, threads))
				.toList();
			CompletableFuture.allOf(ends.toArray(CompletableFuture[]::new)).get(1, TimeUnit.MINUTES);
		}
		finally {
			threads.shutdownNow();
		}
		int counted = this.counter.count() - before;
		require(counted == 40, "40 increments made %d: two threads had the lock", counted);
	}

	private void topic() throws Exception {
		this.queues.publish("news", new Item(this.run, 5));
		this.seen.await("one", this.run, 1);
		this.seen.await("two", this.run, 1);
	}

	private void recurring() throws Exception {
		int before = this.seen.of("tick", "tick").size();
		this.seen.await("tick", "tick", before + 2);
	}

	private void orderingKey() throws Exception {
		List<OutboundMessage> messages = IntStream.range(0, 50)
			.mapToObj((i) -> OutboundMessage.to("keyed", new Item(this.run, i)).orderingKey("key"))
			.toList();
		this.queues.sendAll(messages);
		List<Integer> numbers = this.seen.await("keyed", this.run, 50)
			.stream()
			.map((call) -> call.item().number())
			.toList();
		require(numbers.equals(IntStream.range(0, 50).boxed().toList()), "They came as %s", numbers);
	}

	private void limit() throws Exception {
		long began = System.nanoTime();
		this.queues.sendAll(
				IntStream.range(0, 11).mapToObj((i) -> OutboundMessage.to("limited", new Item(this.run, i))).toList());
		List<Seen.Call> calls = this.seen.await("limited", this.run, 11);
		long millis = (calls.get(10).nanos() - began) / 1_000_000;
		require(millis >= 1999, "11 messages came in %d ms, with 5 a second", millis);
	}

	private void endpoint() throws Exception {
		String body = get("/actuator/queues?size=100");
		for (String queue : List.of("plain", "retried", "doomed", "keyed", "limited", "news@one")) {
			require(body.contains("\"queue\":\"" + queue + "\""), "%s is missing in %s", queue, body);
		}
	}

	private void health() throws Exception {
		String body = get("/actuator/health");
		require(body.contains("\"redelayListeners\":{") && body.contains("\"redelayRedis\":{"), "Health is %s", body);
		require(body.startsWith("{") && !body.contains("\"DOWN\""), "Health is %s", body);
	}

	private void metric() {
		double sent = this.meters.get("messaging.client.sent.messages")
			.tag("messaging.destination.name", "keyed")
			.counter()
			.count();
		require(sent >= 50, "The meter has counted %s of 50 messages", sent);
	}

	private void kotlin() throws Exception {
		this.queues.send("kotlin", Map.of("run", this.run, "number", 6));
		require(this.seen.await("kotlin", this.run, 1).get(0).item().number() == 6, "Another payload came");
	}

	private void awaitEmpty(String queue) throws InterruptedException {
		await("'" + queue + "' is not empty", () -> {
			var info = this.admin.queues().info(queue);
			return info.ready() + info.scheduled() + info.inFlight() == 0;
		});
	}

	private void await(String otherwise, Condition condition) throws InterruptedException {
		long began = System.nanoTime();
		while (!condition.holds()) {
			require(System.nanoTime() - began < Duration.ofSeconds(60).toNanos(), "%s within a minute", otherwise);
			Thread.sleep(5);
		}
	}

	private String get(String path) throws Exception {
		String port = this.context.getBean(Environment.class).getProperty("local.server.port");
		HttpResponse<String> response = HttpClient.newHttpClient()
			.send(HttpRequest.newBuilder(URI.create("http://localhost:" + port + path)).build(),
					HttpResponse.BodyHandlers.ofString());
		require(response.statusCode() == 200, "%s answered %d: %s", path, response.statusCode(), response.body());
		return response.body();
	}

	private String surroundings() {
		boolean virtual = this.seen.of("plain", this.run).stream().allMatch(Seen.Call::virtual);
		return "JDK %s, Boot %s, %s, %s threads, %s".formatted(System.getProperty("java.version"),
				SpringBootVersion.getVersion(), server(), virtual ? "virtual" : "platform",
				AotDetector.useGeneratedArtifacts() ? "AOT" : "reflection");
	}

	/**
	 * Of a cluster, the answer of each node has the node's name before each field.
	 */
	private String server() {
		try (RedisConnection connection = this.context.getBean(RedisConnectionFactory.class).getConnection()) {
			Map<String, String> fields = new TreeMap<>();
			Set<Map.Entry<Object, Object>> info = connection.serverCommands().info("server").entrySet();
			for (Map.Entry<Object, Object> field : info) {
				String name = field.getKey().toString();
				fields.put(name.substring(name.lastIndexOf('.') + 1), field.getValue().toString());
			}
			String version = fields.containsKey("valkey_version") ? "Valkey " + fields.get("valkey_version")
					: "Redis " + fields.get("redis_version");
			return version + " " + fields.getOrDefault("redis_mode", fields.get("server_mode"));
		}
	}

	private static boolean check(String name, Check check) {
		try {
			check.run();
			System.out.println("ok " + name);
			return true;
		}
		catch (Exception | AssertionError ex) {
			System.out.println("FAILED " + name + ": " + ex);
			ex.printStackTrace();
			return false;
		}
	}

	static void require(boolean condition, String message, Object... arguments) {
		if (!condition) {
			throw new AssertionError(message.formatted(arguments));
		}
	}

	private interface Check {

		void run() throws Exception;

	}

	private interface Condition {

		boolean holds();

	}

}
