package io.redelay.embedded.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link RedisServer} with real processes.
 */
class RedisServerIntegrationTests {

	@TempDir
	private Path folder;

	@AfterEach
	void restoreTheExecutable() {
		System.clearProperty(RedisExecutable.PROPERTY);
	}

	@Test
	void startsOnAFreePortAndAnswers() {
		try (RedisServer server = RedisServer.start()) {
			assertThat(server.command("SET", "name", "a b\r\nc")).isEqualTo("OK");
			assertThat(server.command("GET", "name")).isEqualTo("a b\r\nc");
			assertThat(server.command("GET", "unknown")).isNull();
			assertThat(server.command("RPUSH", "list", "1", "2")).isEqualTo(2L);
			assertThat(server.command("LRANGE", "list", "0", "-1")).isEqualTo(List.of("1", "2"));
			assertThat(server.uri()).hasToString("redis://127.0.0.1:" + server.port());
		}
	}

	@Test
	void listensOnTheGivenPort() {
		try (FreePort port = FreePort.reserve();
				RedisServer server = RedisServer.builder().port(port.number()).start()) {
			assertThat(server.port()).isEqualTo(port.number());
			assertThat(server.command("PING")).isEqualTo("PONG");
		}
	}

	@Test
	void listensOnTheLoopbackInterfaceOnly() {
		try (RedisServer server = RedisServer.start()) {
			assertThat(server.command("CONFIG", "GET", "bind")).isEqualTo(List.of("bind", "127.0.0.1"));
		}
	}

	@Test
	void endsAndDeletesWhatItWroteWhenItIsClosed() {
		RedisServer server = RedisServer.start();
		ProcessHandle process = ProcessHandle.of(server.pid()).orElseThrow();
		Path directory = Path.of(((List<?>) server.command("CONFIG", "GET", "dir")).get(1).toString());
		assertThat(directory).isDirectory();
		server.close();
		assertThat(process.isAlive()).isFalse();
		assertThat(directory).doesNotExist();
		assertThatIllegalStateException().isThrownBy(server::restart).withMessageContaining("is closed");
	}

	@Test
	void keepsAnAppendOnlyFileOverAKillAndARestart() {
		try (RedisServer server = RedisServer.builder().appendOnly(this.folder).start()) {
			long pid = server.pid();
			server.command("SET", "kept", "yes");
			server.kill();
			assertThat(server.isRunning()).isFalse();
			assertThat(ProcessHandle.of(pid).filter(ProcessHandle::isAlive)).isEmpty();
			server.restart();
			assertThat(server.command("GET", "kept")).isEqualTo("yes");
			assertThat(server.pid()).isNotEqualTo(pid);
		}
	}

	@Test
	void leavesAnAppendOnlyFileToTheNextServer() {
		try (RedisServer server = RedisServer.builder().appendOnly(this.folder).start()) {
			server.command("SET", "kept", "yes");
		}
		try (RedisServer server = RedisServer.builder().appendOnly(this.folder).start()) {
			assertThat(server.command("GET", "kept")).isEqualTo("yes");
		}
	}

	@Test
	void writesEachChangeToTheDiskBeforeItAnswers() {
		try (RedisServer server = RedisServer.builder().appendOnly(this.folder).start()) {
			assertThat(server.command("CONFIG", "GET", "appendfsync")).isEqualTo(List.of("appendfsync", "always"));
		}
	}

	@Test
	void forgetsEverythingOverARestartWithoutAnAppendOnlyFile() {
		try (RedisServer server = RedisServer.start()) {
			server.command("SET", "lost", "yes");
			int port = server.port();
			server.restart();
			assertThat(server.command("GET", "lost")).isNull();
			assertThat(server.port()).isEqualTo(port);
		}
	}

	@Test
	void stopsInGoodOrder() {
		try (RedisServer server = RedisServer.start()) {
			server.stop();
			assertThat(server.isRunning()).isFalse();
			assertThat(server.log()).contains("Redis is now ready to exit");
		}
	}

	@Test
	void stopsEvenWhenPaused() {
		try (RedisServer server = RedisServer.start()) {
			server.pause();
			server.stop();
			assertThat(server.log()).contains("Redis is now ready to exit");
		}
	}

	@Test
	void answersNothingWhilePausedAndEverythingOnceResumed() throws Exception {
		try (RedisServer server = RedisServer.start()) {
			server.pause();
			CompletableFuture<Object> reply = CompletableFuture.supplyAsync(() -> server.command("PING"));
			assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> reply.get(300, TimeUnit.MILLISECONDS));
			assertThat(server.isRunning()).isTrue();
			server.resume();
			assertThat(reply.get(2, TimeUnit.MINUTES)).isEqualTo("PONG");
		}
	}

	@Test
	void takesAnyLineOfARedisConf() {
		try (RedisServer server = RedisServer.builder()
			.config("maxmemory 5mb", "maxmemory-policy noeviction")
			.start()) {
			assertThat(server.command("CONFIG", "GET", "maxmemory")).isEqualTo(List.of("maxmemory", "5242880"));
			assertThatExceptionOfType(RedisErrorException.class)
				.isThrownBy(() -> IntStream.range(0, 10)
					.forEach((i) -> server.command("SET", "key" + i, "x".repeat(1_000_000))))
				.withMessageContaining("'SET'")
				.withMessageContaining("OOM");
		}
	}

	@Test
	void asksForThePassword() throws IOException {
		try (RedisServer server = RedisServer.builder().password("s3cret").start()) {
			assertThat(server.command("PING")).isEqualTo("PONG");
			assertThat(server.uri()).hasToString("redis://:s3cret@127.0.0.1:" + server.port());
			try (RespConnection stranger = RespConnection.open(server.port(), null, Duration.ofSeconds(5))) {
				assertThatExceptionOfType(RedisErrorException.class).isThrownBy(() -> stranger.command("PING"))
					.withMessageContaining("NOAUTH");
			}
		}
	}

	@Test
	void speaksTlsOnASecondPort() throws Exception {
		SelfSignedCertificate certificate = SelfSignedCertificate.create(this.folder);
		try (RedisServer server = RedisServer.builder().tls(certificate.file(), certificate.key()).start()) {
			try (Socket socket = certificate.sockets().createSocket(server.host(), server.tlsPort())) {
				socket.getOutputStream().write("PING\r\n".getBytes(StandardCharsets.US_ASCII));
				assertThat(new RespReader(socket.getInputStream()).read()).isEqualTo("PONG");
			}
			assertThat(server.command("PING")).isEqualTo("PONG");
		}
	}

	@Test
	void hasNoTlsPortWithoutACertificate() {
		try (RedisServer server = RedisServer.start()) {
			assertThatIllegalStateException().isThrownBy(server::tlsPort).withMessageContaining("has no certificate");
		}
	}

	@Test
	void quotesTheLogWhenItDoesNotStart() {
		assertThatExceptionOfType(RedisStartException.class)
			.isThrownBy(() -> RedisServer.builder().config("no-such-setting 1").start())
			.withMessageContaining("ended with exit code 1")
			.withMessageContaining("no-such-setting");
	}

	@Test
	void doesNotStartOnAPortThatIsTaken() {
		try (RedisServer server = RedisServer.start()) {
			assertThatExceptionOfType(RedisStartException.class)
				.isThrownBy(() -> RedisServer.builder().port(server.port()).start())
				.withMessageContaining("redis-server on port " + server.port())
				.withMessageContaining("Failed listening on port " + server.port());
			assertThat(server.command("PING")).isEqualTo("PONG");
		}
	}

	@Test
	void reportsWhenItIsNotReadyInTime() throws IOException {
		System.setProperty(RedisExecutable.PROPERTY, script("exec sleep 60").toString());
		assertThatExceptionOfType(RedisStartException.class)
			.isThrownBy(() -> RedisServer.builder().startupTimeout(Duration.ofMillis(200)).start())
			.withMessageContaining("was not ready within PT0.2S");
	}

	@Test
	void runsTheExecutableThatAPropertyGives() throws IOException {
		Path wrapper = script("echo 'started by the wrapper'; exec %s \"$@\"".formatted(RedisExecutable.get()));
		System.setProperty(RedisExecutable.PROPERTY, wrapper.toString());
		try (RedisServer server = RedisServer.start()) {
			assertThat(server.log()).startsWith("started by the wrapper");
		}
	}

	@Test
	void refusesAPropertyThatGivesNoExecutable() {
		System.setProperty(RedisExecutable.PROPERTY, "/no/such/server");
		assertThatIllegalStateException().isThrownBy(RedisServer::start)
			.withMessageContaining("'redelay.test.redis-server' is '/no/such/server'");
	}

	@Test
	void triesAnotherPortWhenAnotherProgramIsFaster() throws IOException {
		// The first start finds its port taken by the wrapper's word, the second one goes
		// through.
		Path marker = this.folder.resolve("second");
		Path wrapper = script(
				"if [ -e '%1$s' ]; then exec %2$s \"$@\"; fi; touch '%1$s'; echo 'Failed listening on port 1 (tcp), aborting.'; exit 1"
					.formatted(marker, RedisExecutable.get()));
		System.setProperty(RedisExecutable.PROPERTY, wrapper.toString());
		try (RedisServer server = RedisServer.start()) {
			assertThat(server.command("PING")).isEqualTo("PONG");
			assertThat(marker).exists();
		}
	}

	@Test
	void manyStartAtOnce() {
		List<RedisServer> servers = IntStream.range(0, 8).parallel().mapToObj((i) -> RedisServer.start()).toList();
		try {
			assertThat(servers).allSatisfy((server) -> assertThat(server.command("PING")).isEqualTo("PONG"));
			assertThat(servers).extracting(RedisServer::port).doesNotHaveDuplicates();
		}
		finally {
			servers.forEach(RedisServer::close);
		}
	}

	@Test
	void reportsWhenItDoesNotRun() {
		try (RedisServer server = RedisServer.start()) {
			server.kill();
			String message = "The server on port %d does not run".formatted(server.port());
			assertThatIllegalStateException().isThrownBy(server::pid).withMessage(message);
			assertThatIllegalStateException().isThrownBy(server::kill).withMessage(message);
			assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(() -> server.command("PING"))
				.withMessageContaining("Cannot run 'PING' on port " + server.port());
		}
	}

	@Test
	void endsWithItsJvm() throws Exception {
		Process jvm = ChildJvm.run(StartsAServer.class);
		String pid = jvm.inputReader().readLine();
		ProcessHandle server = ProcessHandle.of(Long.parseLong(pid)).orElseThrow();
		assertThat(server.isAlive()).isTrue();
		jvm.destroy();
		assertThat(jvm.waitFor(2, TimeUnit.MINUTES)).isTrue();
		server.onExit().get(2, TimeUnit.MINUTES);
	}

	@Test
	void endsWhenItsJvmIsKilled() throws Exception {
		Process jvm = ChildJvm.run(StartsAServer.class);
		ProcessHandle server = ProcessHandle.of(Long.parseLong(jvm.inputReader().readLine())).orElseThrow();
		assertThat(server.isAlive()).isTrue();
		assertThat(jvm.destroyForcibly().waitFor(2, TimeUnit.MINUTES)).isTrue();
		server.onExit().get(2, TimeUnit.MINUTES);
	}

	@Test
	void leavesNoWatchBehind() {
		List<Long> before = children();
		try (RedisServer server = RedisServer.start()) {
			server.kill();
			server.restart();
			assertThat(children()).contains(server.pid());
		}
		await().atMost(Duration.ofMinutes(2)).until(() -> before.containsAll(children()));
	}

	private static List<Long> children() {
		return ProcessHandle.current().children().map(ProcessHandle::pid).toList();
	}

	@Test
	void answersWhileItsJvmClosesAnApplication() throws Exception {
		Process jvm = ChildJvm.run(ClosesAServerLate.class);
		assertThat(jvm.inputReader().readLine()).isEqualTo("PONG");
		assertThat(jvm.waitFor(2, TimeUnit.MINUTES)).isTrue();
	}

	@Test
	void leavesNothingBehindWhenItDoesNotStart() throws IOException {
		Path seen = this.folder.resolve("seen");
		System.setProperty(RedisExecutable.PROPERTY, script("echo \"$1\" > '%s'; exit 1".formatted(seen)).toString());
		assertThatExceptionOfType(RedisStartException.class).isThrownBy(RedisServer::start);
		assertThat(Path.of(Files.readString(seen).strip()).getParent()).doesNotExist();
	}

	private Path script(String body) throws IOException {
		Path script = Files.writeString(this.folder.resolve("server.sh"), "#!/bin/sh\n" + body + "\n");
		assertThat(script.toFile().setExecutable(true)).isTrue();
		return script;
	}

	/**
	 * Starts a server, prints its process id, and waits to be ended.
	 */
	static final class StartsAServer {

		public static void main(String[] args) throws IOException {
			System.out.println(RedisServer.start().pid());
			System.in.read();
		}

	}

	/**
	 * Closes a server in a shutdown hook, as an application context does.
	 */
	static final class ClosesAServerLate {

		public static void main(String[] arguments) {
			RedisServer server = RedisServer.builder().exitDelay(Duration.ofMinutes(1)).start();
			Runtime.getRuntime().addShutdownHook(new Thread(() -> {
				LockSupport.parkNanos(Duration.ofSeconds(1).toNanos());
				System.out.println(server.command("PING"));
				server.close();
			}));
		}

	}

}
