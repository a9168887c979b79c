package io.redelay.docs;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.admin.QueuedMessage;
import io.redelay.queue.admin.UnknownQueueException;
import io.redelay.test.ListenerApplication;
import io.redelay.test.TestRedis;
import io.redelay.test.Waiting;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.redisson.api.RedissonClient;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The commands of the chapter on inlets, as they stand there: they are read from it, and
 * run by a shell with the rights that the chapter gives. A program takes the place of
 * redis-cli, which not each machine has, and sends the same words.
 */
@DisabledOnOs(OS.WINDOWS)
class InletExamplesIntegrationTests {

	private static final Path CHAPTER = Path.of("..", "docs", "src", "docs", "asciidoc", "inlet.adoc");

	private static final Pattern SHELL = Pattern.compile("(?s)\\[source,shell]\\n----\\n(.*?)\\n----");

	@TempDir
	Path folder;

	private RedisServer server;

	private RedissonClient client;

	@BeforeEach
	void start() {
		this.server = RedisServer.start();
		this.client = TestRedis.connect(this.server.uri());
	}

	@AfterEach
	void stop() {
		this.client.shutdown();
		this.server.close();
	}

	private static List<String> commands() throws IOException {
		return SHELL.matcher(Files.readString(CHAPTER)).results().map((MatchResult result) -> result.group(1)).toList();
	}

	@Test
	void aUserWithTheRightToPushPutsWorkIntoAQueue() throws Exception {
		List<String> commands = commands();
		assertThat(commands).hasSize(2);
		assertThat(run(commands.get(0))).isEqualTo("OK");
		try (ListenerApplication application = ListenerApplication.on(this.client)
			.with("redelay.queue.queues.orders.inlet.enabled", true)
			.start()) {
			assertThat(run(commands.get(1))).isEqualTo("1");
			QueueAdmin admin = application.bean(QueueAdmin.class);
			Waiting.await()
				.ignoreExceptionsInstanceOf(UnknownQueueException.class)
				.until(() -> admin.messages().find("orders", "order-7").isPresent());
			QueuedMessage message = admin.messages().find("orders", "order-7").orElseThrow();
			assertThat(message.payloadAsText()).isEqualTo("{\"orderId\":\"7\"}");
			assertThat(message.headers()).containsExactlyEntriesOf(Map.of("tenant", "north"));
			assertThat(message.dueAt()).isAfter(message.sentAt().plusSeconds(299));
			assertThat(admin.queues().info("orders").scheduled()).isOne();
		}
		for (String forbidden : List.of("LRANGE 'redelay:inlet:{orders}' 0 -1", "LLEN 'redelay:inlet:{orders}'",
				"RPUSH 'redelay:{orders}:ready' x", "KEYS '*'", "PUBLISH 'redelay:wake:x' y", "EVAL 'return 1' 0")) {
			assertThat(run("redis-cli -u \"$REDIS_URL\" " + forbidden)).as(forbidden).contains("NOPERM");
		}
	}

	/**
	 * The programs that are not run push the same.
	 */
	@Test
	void allExamplesPushTheSameFields() throws IOException {
		String chapter = Files.readString(CHAPTER);
		JsonNode entry = JsonMapper.shared().readTree(commands().get(1).replaceAll("(?s).*?'(\\{.*})'.*", "$1"));
		List<String> values = new ArrayList<>(new TreeSet<>(entry.propertyNames()));
		values.addAll(List.of("orderId", "order-7", "PT5M", "north", "redelay:inlet:{orders}"));
		for (String language : List.of("php", "go", "python")) {
			String program = chapter.substring(chapter.indexOf("[source," + language + "]"))
				.replaceAll("(?s)^.*?----\\n(.*?)\\n----.*$", "$1");
			assertThat(program).as(language).contains(values);
		}
	}

	/**
	 * Runs a command in a shell.
	 * @return what it printed
	 */
	private String run(String command) throws Exception {
		Path cli = this.folder.resolve("redis-cli");
		if (!Files.exists(cli)) {
			Path source = Path.of("src", "test", "resources", "redis-cli", "RedisCli.java").toAbsolutePath();
			Path java = Path.of(System.getProperty("java.home"), "bin", "java");
			Files.writeString(cli, "#!/bin/sh\nexec '" + java + "' -XX:TieredStopAtLevel=1 '" + source + "' \"$@\"\n");
			Files.setPosixFilePermissions(cli, PosixFilePermissions.fromString("rwx------"));
		}
		ProcessBuilder builder = new ProcessBuilder("sh", "-c", command).redirectErrorStream(true);
		builder.environment().put("REDIS_PORT", Integer.toString(this.server.port()));
		builder.environment().put("REDIS_URL", "redis://partner:secret@localhost:" + this.server.port());
		builder.environment().merge("PATH", this.folder.toString(), (path, own) -> own + ":" + path);
		Process process = builder.start();
		String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
		process.waitFor();
		return printed;
	}

}
