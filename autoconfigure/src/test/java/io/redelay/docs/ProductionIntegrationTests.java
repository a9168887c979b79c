package io.redelay.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.lock.MyLock;
import io.redelay.lock.MyLockType;
import io.redelay.queue.Deduplication;
import io.redelay.queue.MessageState;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.admin.QueueAdmin;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the chapter "Going to production" says of Redis is what Redis takes.
 */
class ProductionIntegrationTests {

	private static final Path GUIDE = Path.of("..", "docs", "src", "docs", "asciidoc");

	@Test
	void theUserOfTheGuardMayDoAllThatRedelayDoes() throws IOException {
		try (RedisServer server = RedisServer.builder().start()) {
			String user = lines("guard.adoc").filter((line) -> line.startsWith("user ")).findFirst().orElseThrow();
			List<String> rules = Arrays.asList(user.substring("user ".length()).split(" "));
			server.command(Stream.concat(Stream.of("ACL", "SETUSER"), rules.stream()).toArray(String[]::new));
			new ApplicationContextRunner().withUserConfiguration(Application.class)
				.withPropertyValues("spring.data.redis.host=" + server.uri().getHost(),
						"spring.data.redis.port=" + server.uri().getPort(), "spring.data.redis.username=shop",
						"spring.data.redis.password=change-me", "redelay.guard.permissions=fail",
						"redelay.queue.listener.max-attempts=1")
				.run((context) -> {
					assertThat(context).hasNotFailed();
					use(context.getBean(QueueOperations.class), context.getBean(QueueAdmin.class),
							context.getBean(Handler.class));
				});
			assertThat(server.command("ACL", "LOG").toString()).isEqualTo("[]");
		}
	}

	private static void use(QueueOperations queues, QueueAdmin admin, Handler handler) {
		queues.send(OutboundMessage.to("orders", "later").id("7").delay(Duration.ofHours(1)));
		assertThat(admin.messages().runNow("orders", "7").done()).isTrue();
		queues.send(OutboundMessage.to("orders", "keyed")
			.orderingKey("a")
			.fairnessKey("b")
			.priority(7)
			.timeToLive(Duration.ofHours(1))
			.deduplicate(Deduplication.firstWins("c", Duration.ofMinutes(1))));
		queues.send(OutboundMessage.to("orders", "soon").delay(Duration.ofMillis(1)));
		Awaitility.await().untilAsserted(() -> assertThat(handler.handled).containsOnlyOnce("later", "keyed", "soon"));
		Awaitility.await().untilAsserted(() -> assertThat(admin.queues().info("orders").inFlight()).isZero());
		assertThat(admin.queues().consumers("orders")).hasSize(1);
		queues.send(OutboundMessage.to("orders", "bad").id("8"));
		Awaitility.await().untilAsserted(() -> assertThat(admin.queues().info("orders").dead()).isOne());
		admin.deadLetters().redrive("orders", "8");
		Awaitility.await().untilAsserted(() -> assertThat(handler.handled.stream().filter("bad"::equals)).hasSize(2));
		Awaitility.await().untilAsserted(() -> assertThat(admin.deadLetters().counts("orders")).hasSize(1));
		queues.send(OutboundMessage.to("orders", "never").id("9").delay(Duration.ofHours(1)));
		assertThat(admin.messages().reschedule("orders", "9", Duration.ofHours(2)).done()).isTrue();
		assertThat(admin.messages().cancel("orders", "9").done()).isTrue();
		admin.control().pause("orders");
		queues.sendAll(List.of(OutboundMessage.to("orders", "1"), OutboundMessage.to("orders", "2")));
		assertThat(admin.messages().browse("orders", MessageState.READY, 0, 10).messages()).hasSize(2);
		assertThat(admin.control().purge("orders", MessageState.READY)).isEqualTo(2);
		admin.control().deleteWithMessages("orders");
	}

	@Test
	void redisTakesTheSettingsOfTheChapter(@TempDir Path folder) throws IOException {
		List<String> settings = lines("going-to-production.adoc").dropWhile((line) -> !line.startsWith("maxmemory "))
			.takeWhile((line) -> !line.equals("----"))
			.map((line) -> line.replaceFirst("\\s+#.*", ""))
			// There is no replica here.
			.filter((line) -> !line.startsWith("min-replicas-to-write"))
			.toList();
		assertThat(settings).hasSizeGreaterThan(5);
		RedisServer.Builder builder = RedisServer.builder().appendOnly(folder);
		settings.forEach(builder::config);
		try (RedisServer server = builder.start()) {
			assertThat(server.command("CONFIG", "GET", "maxmemory-policy").toString()).contains("noeviction");
		}
	}

	private static Stream<String> lines(String chapter) throws IOException {
		return Files.readString(GUIDE.resolve(chapter)).lines();
	}

	static class Handler {

		private final Work work;

		final List<String> handled = new CopyOnWriteArrayList<>();

		Handler(Work work) {
			this.work = work;
		}

		@QueueListener(queues = "orders", rateLimit = "1000/1s", maxInFlight = "100", idempotencyKey = "#{id}")
		void handle(String text) {
			this.work.fair(text);
			this.work.plain(text);
			this.work.read(text);
			this.work.write(text);
			this.work.fenced(text);
			this.handled.add(text);
			if (text.equals("bad")) {
				throw new IllegalStateException(text);
			}
		}

	}

	static class Work {

		@MyLock(name = "fair:#{id}", lockType = MyLockType.FAIR_LOCK)
		void fair(String id) {
		}

		@MyLock(name = "plain:#{id}")
		void plain(String id) {
		}

		@MyLock(name = "rw:#{id}", lockType = MyLockType.READ_LOCK)
		void read(String id) {
		}

		@MyLock(name = "rw:#{id}", lockType = MyLockType.WRITE_LOCK)
		void write(String id) {
		}

		@MyLock(name = "fenced:#{id}", lockProvider = "fencedLockProvider")
		void fenced(String id) {
		}

	}

	@EnableAutoConfiguration
	@Import({ Handler.class, Work.class })
	static class Application {

	}

}
