package io.redelay.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.lock.MyLock;
import io.redelay.lock.MyLockType;
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

	private static final Path CHAPTER = Path.of("..", "docs", "src", "docs", "asciidoc", "going-to-production.adoc");

	@Test
	void theUserOfTheChapterMaySendHandleLockAndAdminister() throws IOException {
		try (RedisServer server = RedisServer.builder().start()) {
			String user = lines().filter((line) -> line.startsWith("user ")).findFirst().orElseThrow();
			List<String> rules = Arrays.asList(user.substring("user ".length()).split(" "));
			server.command(Stream.concat(Stream.of("ACL", "SETUSER"), rules.stream()).toArray(String[]::new));
			new ApplicationContextRunner().withUserConfiguration(Application.class)
				.withPropertyValues("spring.data.redis.host=" + server.uri().getHost(),
						"spring.data.redis.port=" + server.uri().getPort(), "spring.data.redis.username=shop",
						"spring.data.redis.password=change-me")
				.run((context) -> {
					assertThat(context).hasNotFailed();
					QueueOperations queues = context.getBean(QueueOperations.class);
					QueueAdmin admin = context.getBean(QueueAdmin.class);
					queues.send(OutboundMessage.to("orders", "later").id("7").delay(Duration.ofHours(1)));
					assertThat(admin.runNow("orders", "7").done()).isTrue();
					Handler handler = context.getBean(Handler.class);
					Awaitility.await().untilAsserted(() -> assertThat(handler.handled).isEqualTo("later fair plain"));
					Awaitility.await().untilAsserted(() -> assertThat(admin.info("orders").inFlight()).isZero());
					assertThat(admin.consumers("orders")).hasSize(1);
				});
			assertThat(server.command("ACL", "LOG").toString()).isEqualTo("[]");
		}
	}

	@Test
	void redisTakesTheSettingsOfTheChapter(@TempDir Path folder) throws IOException {
		List<String> settings = lines().dropWhile((line) -> !line.startsWith("maxmemory "))
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

	private static Stream<String> lines() throws IOException {
		return Files.readString(CHAPTER).lines();
	}

	static class Handler {

		private final Work work;

		volatile String handled = "";

		Handler(Work work) {
			this.work = work;
		}

		@QueueListener("orders")
		void handle(String text) {
			this.handled = text + this.work.fair(text) + this.work.plain(text);
		}

	}

	static class Work {

		@MyLock(name = "fair:#{id}", lockType = MyLockType.FAIR_LOCK)
		String fair(String id) {
			return " fair";
		}

		@MyLock(name = "plain:#{id}")
		String plain(String id) {
			return " plain";
		}

	}

	@EnableAutoConfiguration
	@Import({ Handler.class, Work.class })
	static class Application {

	}

}
