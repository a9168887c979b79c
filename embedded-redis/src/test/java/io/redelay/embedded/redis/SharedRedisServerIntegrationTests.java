package io.redelay.embedded.redis;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link SharedRedisServer} with real processes.
 */
@Timeout(300)
class SharedRedisServerIntegrationTests {

	private static final Duration PATIENCE = Duration.ofMinutes(1);

	private final FreePort freePort = FreePort.reserve();

	private final int port = this.freePort.number();

	private final List<Process> applications = new ArrayList<>();

	@TempDir
	private Path folder;

	@AfterEach
	void leaveNothing() {
		this.applications.forEach(Process::destroyForcibly);
		try (RespConnection orphan = RespConnection.open(this.port, null, Duration.ofSeconds(5))) {
			orphan.command("SHUTDOWN", "NOSAVE");
		}
		catch (IOException ex) {
			// There is none, or it has ended.
		}
		this.freePort.close();
	}

	@Test
	void startsAServerThatIsOnlyOnTheLoopbackInterface() {
		try (SharedRedisServer server = join()) {
			assertThat(server.isJoined()).isFalse();
			assertThat(server.directory()).isEqualTo(this.folder.resolve("data"));
			assertThat(server.uri()).hasToString("redis://127.0.0.1:" + this.port);
			assertThat(command("PING")).isEqualTo("PONG");
			assertThat(command("CONFIG", "GET", "bind")).isEqualTo(List.of("bind", "127.0.0.1"));
		}
	}

	@Test
	void endsWithTheLastThatLeaves() {
		SharedRedisServer first = join();
		SharedRedisServer second = join();
		assertThat(second.isJoined()).isTrue();
		first.close();
		assertThat(command("PING")).isEqualTo("PONG");
		second.close();
		assertThat(isThere()).isFalse();
	}

	@Test
	void endsOnceWhenItIsClosedTwice() {
		SharedRedisServer first = join();
		SharedRedisServer second = join();
		second.close();
		second.close();
		assertThat(command("PING")).isEqualTo("PONG");
		first.close();
	}

	@Test
	void isSharedByJvms() throws IOException {
		Application other = application();
		assertThat(other.joined()).isFalse();
		try (SharedRedisServer server = join()) {
			assertThat(server.isJoined()).isTrue();
			other.leave();
			assertThat(command("PING")).isEqualTo("PONG");
		}
		assertThat(isThere()).isFalse();
	}

	@Test
	void livesOnWithTheOthersWhenTheOneThatStartedItIsKilled() throws IOException {
		Application first = application();
		try (SharedRedisServer server = join()) {
			first.kill();
			assertThat(command("PING")).isEqualTo("PONG");
			assertThat(server.isJoined()).isTrue();
		}
		assertThat(isThere()).isFalse();
	}

	@Test
	void isJoinedAsAnOrphanAndEndsThen() throws IOException {
		Application killed = application();
		Object pid = processId();
		command("SET", "kept", "yes");
		killed.kill();
		assertThat(command("GET", "kept")).isEqualTo("yes");
		try (SharedRedisServer server = join()) {
			assertThat(server.isJoined()).isTrue();
			assertThat(processId()).isEqualTo(pid);
		}
		assertThat(isThere()).isFalse();
	}

	@Test
	@Tag("full")
	void endsByItselfWhenNoApplicationUsesItAfterAKill() throws IOException {
		Application killed = application();
		command("SET", "kept", "yes");
		killed.kill();
		await().atMost(PATIENCE.multipliedBy(2)).until(() -> !isThere());
		try (SharedRedisServer server = join()) {
			assertThat(server.isJoined()).isFalse();
			assertThat(command("GET", "kept")).isEqualTo("yes");
		}
	}

	@Test
	void leadsASessionOfItsOwn() throws IOException {
		try (SharedRedisServer server = join()) {
			// Fields 5 and 6 of the kernel's record are the process group and the
			// session.
			Path record = Path.of("/proc/%s/stat".formatted(processId()));
			if (Files.exists(record)) {
				String[] fields = Files.readString(record).replaceFirst("^.*\\) ", "").split(" ");
				assertThat(fields[3]).isEqualTo(processId());
			}
			assertThat(ProcessHandle.current().descendants().map(ProcessHandle::pid).map(String::valueOf))
				.doesNotContain(processId());
			assertThat(server.isJoined()).isFalse();
		}
	}

	@Test
	void keepsWhatItHoldsOverARestart() {
		try (SharedRedisServer server = join()) {
			command("SET", "kept", "yes");
		}
		assertThat(isThere()).isFalse();
		try (SharedRedisServer server = join()) {
			assertThat(server.isJoined()).isFalse();
			assertThat(command("GET", "kept")).isEqualTo("yes");
		}
	}

	@Test
	void keepsWhatItHoldsWhenItIsKilled() {
		try (SharedRedisServer server = join()) {
			command("SET", "kept", "yes");
			ProcessHandle.of(Long.parseLong(processId())).orElseThrow().destroyForcibly();
			await().atMost(PATIENCE).until(() -> !isThere());
		}
		try (SharedRedisServer server = join()) {
			assertThat(command("GET", "kept")).isEqualTo("yes");
		}
	}

	@Test
	void isReadyOnceItHasReadWhatItKept() {
		try (SharedRedisServer server = join()) {
			command("EVAL", "for i = 1, 300000 do redis.call('SET', 'key' .. i, i) end", "0");
		}
		try (SharedRedisServer server = join()) {
			assertThat(command("DBSIZE")).isEqualTo(300_000L);
		}
	}

	@Test
	void replacesAnOrphanOfAnotherDirectory() throws IOException {
		Application killed = application(this.folder.resolve("other"));
		String pid = processId();
		command("SET", "theirs", "yes");
		killed.kill();
		try (SharedRedisServer server = join()) {
			assertThat(server.isJoined()).isFalse();
			assertThat(processId()).isNotEqualTo(pid);
			assertThat(command("GET", "theirs")).isNull();
		}
		try (SharedRedisServer server = SharedRedisServer.join(this.port, this.folder.resolve("other"), PATIENCE)) {
			assertThat(command("GET", "theirs")).isEqualTo("yes");
		}
	}

	@Test
	void joinsAServerOfAnotherDirectoryThatIsInUse() {
		Path other = this.folder.resolve("other");
		try (SharedRedisServer theirs = SharedRedisServer.join(this.port, other, PATIENCE);
				SharedRedisServer ours = join()) {
			assertThat(ours.isJoined()).isTrue();
			assertThat(ours.directory()).isEqualTo(other).isEqualTo(theirs.directory());
		}
	}

	@Test
	void replacesAnOrphanThatWasConfiguredOtherwise() throws IOException {
		Application killed = application();
		String pid = processId();
		command("SET", "kept", "yes");
		killed.kill();
		Files.writeString(this.folder.resolve("data/redelay-embedded-redis.conf"), "maxmemory 1gb\n",
				StandardOpenOption.APPEND);
		try (SharedRedisServer server = join()) {
			assertThat(server.isJoined()).isFalse();
			assertThat(processId()).isNotEqualTo(pid);
			assertThat(command("GET", "kept")).isEqualTo("yes");
		}
	}

	@Test
	void replacesAnOrphanWhoseDirectoryIsGone() throws IOException {
		Application killed = application();
		String pid = processId();
		killed.kill();
		Files.delete(this.folder.resolve("data/redelay-embedded-redis.conf"));
		try (SharedRedisServer server = join()) {
			assertThat(server.isJoined()).isFalse();
			assertThat(processId()).isNotEqualTo(pid);
		}
	}

	@Test
	void leavesAForeignRedisAlone() {
		try (RedisServer foreign = RedisServer.builder().port(this.port).start()) {
			foreign.command("SET", "theirs", "yes");
			assertThatExceptionOfType(PortTakenException.class).isThrownBy(this::join)
				.withMessage(
						"Port %d is taken by a Redis server, which was not started by Redelay".formatted(this.port))
				.satisfies((ex) -> assertThat(ex.getPort()).isEqualTo(this.port));
			assertThat(foreign.command("GET", "theirs")).isEqualTo("yes");
			assertThat(foreign.command("CLIENT", "LIST")).asString().doesNotContain("redelay-embedded");
		}
	}

	@Test
	void leavesAForeignRedisWithAPasswordAlone() {
		try (RedisServer foreign = RedisServer.builder().port(this.port).password("s3cret").start()) {
			assertThatExceptionOfType(PortTakenException.class).isThrownBy(this::join)
				.withMessageContaining("a Redis server");
			assertThat(foreign.command("PING")).isEqualTo("PONG");
		}
	}

	@Test
	void leavesWhatIsNoRedisAlone() throws Exception {
		try (ServerSocket foreign = listen()) {
			Thread web = new Thread(() -> {
				try (Socket client = foreign.accept()) {
					InputStream request = client.getInputStream();
					request.readNBytes(4);
					client.getOutputStream()
						.write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
					client.shutdownOutput();
					request.readAllBytes();
				}
				catch (IOException ex) {
					// The other side closed.
				}
			});
			web.start();
			assertThatExceptionOfType(PortTakenException.class).isThrownBy(this::join)
				.withMessageContaining("something that is no Redis server");
			web.join();
		}
	}

	@Test
	void leavesWhatDoesNotAnswerAlone() throws IOException {
		try (ServerSocket foreign = listen()) {
			assertThatExceptionOfType(PortTakenException.class).isThrownBy(this::join)
				.withMessageContaining("something that does not answer");
			assertThat(foreign.isClosed()).isFalse();
		}
	}

	@Test
	void oneServerIsStartedWhenManyJoinAtOnce() throws Exception {
		List<Application> others = List.of(startApplication(this.folder.resolve("data")),
				startApplication(this.folder.resolve("data")), startApplication(this.folder.resolve("data")));
		List<SharedRedisServer> servers = IntStream.range(0, 4).parallel().mapToObj((i) -> join()).toList();
		long started = servers.stream().filter((server) -> !server.isJoined()).count();
		for (Application other : others) {
			started += other.joined() ? 0 : 1;
		}
		assertThat(started).isEqualTo(1);
		assertThat(command("CLIENT", "LIST").toString().split("redelay-embedded:", -1)).hasSize(8);
		servers.stream().parallel().forEach(SharedRedisServer::close);
		assertThat(command("PING")).isEqualTo("PONG");
		for (Application other : others) {
			other.leave();
		}
		assertThat(isThere()).isFalse();
	}

	@Test
	void oneThatJoinsWhileTheLastOneLeavesHasAServer() {
		for (int i = 0; i < 20; i++) {
			SharedRedisServer leaving = join();
			Thread other = new Thread(leaving::close);
			other.start();
			try (SharedRedisServer server = join()) {
				assertThat(command("PING")).isEqualTo("PONG");
			}
			await().atMost(PATIENCE).until(() -> !other.isAlive());
		}
	}

	@Test
	void quotesTheLogWhenItDoesNotStart() throws IOException {
		Path appendOnly = Files.createDirectories(this.folder.resolve("data/appendonlydir"));
		Files.writeString(appendOnly.resolve("appendonly.aof.manifest"), "nonsense\n");
		assertThatExceptionOfType(RedisStartException.class).isThrownBy(this::join)
			.withMessageContaining(
					"redis-server on port %d, in '%s', ended".formatted(this.port, this.folder.resolve("data")))
			.withMessageContaining("manifest");
	}

	@Test
	void quotesTheLogWhenItEndsWhileItReadsWhatItKept() throws IOException {
		try (SharedRedisServer server = join()) {
			command("EVAL", "for i = 1, 300000 do redis.call('SET', 'key' .. i, i) end", "0");
		}
		Path changes = this.folder.resolve("data/appendonlydir/appendonly.aof.1.incr.aof");
		Files.writeString(changes, "nonsense\n".repeat(100), StandardOpenOption.APPEND);
		assertThatExceptionOfType(RedisStartException.class).isThrownBy(this::join)
			.withMessageContaining("ended")
			.withMessageContaining("Bad file format");
	}

	@Test
	void reportsWhenItsDirectoryCannotBeWritten() throws IOException {
		Path file = Files.createFile(this.folder.resolve("data"));
		assertThatExceptionOfType(RedisStartException.class).isThrownBy(this::join)
			.withMessage("Cannot write to '%s'".formatted(file));
	}

	@Test
	void takesADirectoryWithSpacesAndQuotes() {
		Path odd = this.folder.resolve("it's \"odd\"");
		try (SharedRedisServer server = SharedRedisServer.join(this.port, odd, PATIENCE)) {
			assertThat(server.directory()).isEqualTo(odd);
			assertThat(odd.resolve("appendonlydir")).isDirectory();
		}
	}

	@Test
	void refusesAPortOutOfRange() {
		assertThatIllegalArgumentException().isThrownBy(() -> SharedRedisServer.join(0, this.folder, PATIENCE))
			.withMessage("'port' must be between 1 and 65535, not 0");
	}

	private SharedRedisServer join() {
		return SharedRedisServer.join(this.port, this.folder.resolve("data"), PATIENCE);
	}

	private ServerSocket listen() throws IOException {
		return new ServerSocket(this.port, 50, InetAddress.getByName("127.0.0.1"));
	}

	private boolean isThere() {
		try {
			RespConnection.open(this.port, null, Duration.ofSeconds(5)).close();
			return true;
		}
		catch (IOException ex) {
			return false;
		}
	}

	private Object command(String... words) {
		try (RespConnection connection = RespConnection.open(this.port, null, PATIENCE)) {
			return connection.command(words);
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private String processId() {
		return command("INFO", "server").toString()
			.lines()
			.filter((line) -> line.startsWith("process_id:"))
			.map((line) -> line.substring("process_id:".length()))
			.findFirst()
			.orElseThrow();
	}

	private Application application() throws IOException {
		return application(this.folder.resolve("data"));
	}

	private Application application(Path directory) throws IOException {
		Application application = startApplication(directory);
		application.joined();
		return application;
	}

	private Application startApplication(Path directory) throws IOException {
		Process process = ChildJvm.run(JoinsAServer.class, String.valueOf(this.port), directory.toString());
		this.applications.add(process);
		return new Application(process);
	}

	/**
	 * Another JVM that has joined the server.
	 */
	private static final class Application {

		private final Process process;

		private final BufferedReader output;

		private String first = "";

		Application(Process process) {
			this.process = process;
			this.output = process.inputReader();
		}

		boolean joined() throws IOException {
			if (this.first.isEmpty()) {
				this.first = this.output.readLine();
			}
			assertThat(this.first).isIn("joined", "started");
			return this.first.equals("joined");
		}

		void leave() throws IOException {
			this.process.getOutputStream().close();
			assertThat(this.output.readLine()).isEqualTo("left");
		}

		void kill() {
			try {
				assertThat(this.process.destroyForcibly().waitFor(2, TimeUnit.MINUTES)).isTrue();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}

	}

	/**
	 * Joins a server, and leaves it once its input ends.
	 */
	static final class JoinsAServer {

		public static void main(String[] args) throws IOException {
			try (SharedRedisServer server = SharedRedisServer.join(Integer.parseInt(args[0]), Path.of(args[1]),
					PATIENCE)) {
				System.out.println(server.isJoined() ? "joined" : "started");
				System.in.read();
			}
			System.out.println("left");
		}

	}

}
