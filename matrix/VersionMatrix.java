import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Key;
import java.security.KeyStore;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.test.redis.RedisCluster;
import io.redelay.test.redis.RedisSentinel;

/**
 * Starts the application of the matrix on each version, one after the other, and writes
 * the tables of the guide. The script {@code run} starts it.
 */
public final class VersionMatrix {

	private static final Pattern JAVA_VERSION = Pattern.compile("JAVA_VERSION=\"((\\d+)[^\"]*)\"");

	private static final Pattern SERVER = Pattern.compile("(redis|valkey)-server-([0-9.]+).*");

	private static final List<String> CHECKS = List.of("send", "delay", "retry", "dead letter", "lock", "topic",
			"recurring", "ordering key", "limit", "endpoint", "health", "metric");

	private static final String DEFAULT_SERVER = "Redis 7.0.15";

	private static final String WORKS = "works";

	private final Path target;

	private final List<String> boots;

	private final String newestBoot;

	/** By their first number: 17, 21, 25. */
	private final Map<Integer, Jdk> jdks = new TreeMap<>();

	/** By a name such as {@code Redis 7.0.15}. */
	private final Map<String, Path> servers = new TreeMap<>();

	private final String only;

	private final Map<String, String> results = new LinkedHashMap<>();

	private VersionMatrix(String... arguments) throws IOException {
		this.target = Path.of(arguments[0]);
		this.boots = List.of(arguments[1].split(" "));
		this.newestBoot = this.boots.get(this.boots.size() - 1);
		try (Stream<Path> found = Stream.concat(Files.list(Path.of(arguments[2])),
				Stream.of(this.target.resolve("jdk-21")))) {
			found.filter((home) -> Files.exists(home.resolve("release")) && Files.exists(home.resolve("bin/java")))
				.map(Jdk::at)
				.filter((jdk) -> List.of(17, 21, 25).contains(jdk.feature()))
				.forEach((jdk) -> this.jdks.put(jdk.feature(), jdk));
		}
		try (Stream<Path> found = Files.list(this.target.resolve("servers"))) {
			found.forEach((executable) -> {
				Matcher name = SERVER.matcher(executable.getFileName().toString());
				if (name.matches()) {
					this.servers.put((name.group(1).equals("redis") ? "Redis " : "Valkey ") + name.group(2),
							executable);
				}
			});
		}
		this.only = arguments[4];
		if (!this.jdks.keySet().equals(Set.of(17, 21, 25))) {
			throw new IllegalStateException("JDKs 17, 21 and 25 are needed, found are " + this.jdks);
		}
	}

	public static void main(String... arguments) throws Exception {
		VersionMatrix matrix = new VersionMatrix(arguments);
		matrix.run();
		long failed = matrix.results.values().stream().filter((result) -> !result.equals(WORKS)).count();
		System.out.printf("%d of %d work%n", matrix.results.size() - failed, matrix.results.size());
		if (matrix.only.isEmpty()) {
			matrix.write(Path.of("docs/src/docs/asciidoc/figures/tested-versions.adoc"), arguments[3]);
		}
		System.exit((failed > 0) ? 1 : 0);
	}

	private void run() throws Exception {
		for (String boot : this.boots) {
			for (Jdk jdk : this.jdks.values()) {
				for (boolean virtual : (jdk.feature() < 21) ? List.of(false) : List.of(false, true)) {
					String name = boot + " on JDK " + jdk.feature() + (virtual ? " virtual" : "");
					row(name,
							new Start(jdk, boot)
								.expecting(", Boot " + boot + ",", virtual ? "virtual threads" : "platform threads")
								.with(virtual ? "-Dspring.threads.virtual.enabled=true" : "-Dnone"),
							DEFAULT_SERVER, Topology.STANDALONE);
				}
			}
		}
		Jdk newest = this.jdks.get(25);
		for (String server : this.servers.keySet()) {
			for (Topology topology : Topology.values()) {
				row(server + " " + topology.title, new Start(newest, this.newestBoot), server, topology);
			}
		}
		for (int feature : List.of(17, 25)) {
			row("beans prepared, JDK " + feature, aot(new Start(this.jdks.get(feature), "aot")), DEFAULT_SERVER,
					Topology.STANDALONE);
		}
		archives(newest);
		row("stopped and started",
				new Start(newest, this.newestBoot).with("-Dmatrix.restart=true").printing("ok restart"), DEFAULT_SERVER,
				Topology.STANDALONE);
		row("Kotlin", new Start(newest, "kotlin").printing("ok kotlin"), DEFAULT_SERVER, Topology.STANDALONE);
		row("checkpoint refused",
				new Start(newest, this.newestBoot).with("-Dspring.context.checkpoint=onRefresh").refusing(),
				DEFAULT_SERVER, Topology.STANDALONE);
	}

	/**
	 * A run that only starts writes the archive; the JVM of the other ends if it cannot
	 * use it.
	 */
	private void archives(Jdk newest) throws Exception {
		Path archive = this.target.resolve("archive");
		Jdk oldest = this.jdks.get(17);
		archive("class data sharing, JDK 17", new Start(oldest, this.newestBoot),
				"-XX:ArchiveClassesAtExit=" + archive + ".jsa", "-XX:SharedArchiveFile=" + archive + ".jsa",
				"-Xshare:on");
		archive("AOT cache, JDK 25", new Start(newest, this.newestBoot), "-XX:AOTCacheOutput=" + archive + ".aot",
				"-XX:AOTCache=" + archive + ".aot", "-XX:AOTMode=on");
		archive("AOT cache and beans prepared, JDK 25", aot(new Start(newest, "aot")),
				"-XX:AOTCacheOutput=" + archive + "-2.aot", "-XX:AOTCache=" + archive + "-2.aot", "-XX:AOTMode=on");
	}

	private void archive(String name, Start start, String training, String... use) throws Exception {
		if (!name.contains(this.only)) {
			return;
		}
		Path jar = extracted(start);
		try (Servers server = start(DEFAULT_SERVER, Topology.STANDALONE)) {
			Start train = start.of(jar).with(training, "-Dspring.context.exit=onRefresh");
			String written = train.go(server).output();
			System.out.println(name + ", training: " + written.lines().count() + " lines");
		}
		row(name, start.of(jar).with(use), DEFAULT_SERVER, Topology.STANDALONE);
	}

	private Path extracted(Start start) throws Exception {
		Path folder = this.target.resolve("extracted-" + start.jar);
		new ProcessBuilder(start.jdk.java(), "-Djarmode=tools", "-jar", start.jarFile().toString(), "extract",
				"--force", "--destination", folder.toString())
			.redirectErrorStream(true)
			.redirectOutput(this.target.resolve("extract.log").toFile())
			.start()
			.waitFor();
		return folder.resolve(start.jar + ".jar");
	}

	private static Start aot(Start start) {
		return start.with("-Dspring.aot.enabled=true").expecting(", AOT");
	}

	private void row(String name, Start start, String server, Topology topology) throws Exception {
		if (!name.contains(this.only)) {
			return;
		}
		long began = System.nanoTime();
		String result;
		try (Servers servers = start(server, topology)) {
			result = start.expecting(server + ((topology == Topology.CLUSTER) ? " cluster" : " standalone"))
				.go(servers)
				.result();
		}
		catch (RuntimeException ex) {
			result = "the servers did not start: " + ex.getMessage();
		}
		this.results.put(name, result);
		System.out.printf("%s: %s (%d s)%n", name, result, (System.nanoTime() - began) / 1_000_000_000);
	}

	private Servers start(String server, Topology topology) throws Exception {
		System.setProperty("redelay.test.redis-server", this.servers.get(server).toString());
		switch (topology) {
			case STANDALONE -> {
				RedisServer redis = RedisServer.start();
				return new Servers(redis, List.of("--spring.data.redis.url=" + redis.uri()));
			}
			case SENTINEL -> {
				RedisSentinel sentinel = RedisSentinel.builder().start();
				return new Servers(sentinel, List.of("--spring.data.redis.sentinel.master=" + sentinel.masterName(),
						"--spring.data.redis.sentinel.nodes=" + nodes(sentinel.sentinels())));
			}
			case CLUSTER -> {
				RedisCluster cluster = RedisCluster.builder().replicasPerMaster(0).start();
				return new Servers(cluster, List.of("--spring.data.redis.cluster.nodes=" + nodes(cluster.nodes())));
			}
			default -> {
				Path certificate = certificate();
				RedisServer redis = RedisServer.builder().tls(certificate, this.target.resolve("key.pem")).start();
				// Nothing listens on the plain port but to the test itself.
				return new Servers(redis,
						List.of("--spring.data.redis.host=localhost", "--spring.data.redis.port=" + redis.tlsPort(),
								"--spring.data.redis.ssl.bundle=matrix",
								"--spring.ssl.bundle.pem.matrix.truststore.certificate=file:" + certificate));
			}
		}
	}

	private static String nodes(List<RedisServer> servers) {
		return servers.stream().map((server) -> server.host() + ":" + server.port()).collect(Collectors.joining(","));
	}

	/**
	 * A certificate for this machine, signed by itself.
	 */
	private Path certificate() throws Exception {
		Path certificate = this.target.resolve("certificate.pem");
		Path store = this.target.resolve("matrix.p12");
		Files.deleteIfExists(store);
		new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(), "-genkeypair",
				"-alias", "matrix", "-keyalg", "RSA", "-dname", "CN=localhost", "-ext",
				"san=dns:localhost,ip:127.0.0.1", "-keystore", store.toString(), "-storepass", "matrix", "-storetype",
				"PKCS12")
			.redirectErrorStream(true)
			.redirectOutput(this.target.resolve("keytool.log").toFile())
			.start()
			.waitFor();
		KeyStore keys = KeyStore.getInstance("PKCS12");
		try (InputStream content = Files.newInputStream(store)) {
			keys.load(content, "matrix".toCharArray());
		}
		Key key = keys.getKey("matrix", "matrix".toCharArray());
		Files.writeString(certificate, pem("CERTIFICATE", keys.getCertificate("matrix").getEncoded()));
		Files.writeString(this.target.resolve("key.pem"), pem("PRIVATE KEY", key.getEncoded()));
		return certificate;
	}

	private static String pem(String type, byte[] content) {
		return "-----BEGIN %s-----%n%s%n-----END %s-----%n".formatted(type,
				Base64.getMimeEncoder().encodeToString(content), type);
	}

	private void write(Path file, String commit) throws IOException {
		List<String> lines = new ArrayList<>(List.of("// Written by matrix/run.",
				"On %s, commit %s; JDK %s; Linux.".formatted(LocalDate.now(), commit,
						this.jdks.values().stream().map(Jdk::version).collect(Collectors.joining(", "))),
				"", ".Spring Boot and JDK, on " + DEFAULT_SERVER, "[caption=\"\",cols=\"2,2,2,2,2,2\",options=header]",
				"|===", "|Spring Boot |JDK 17 |JDK 21 |JDK 21, virtual threads |JDK 25 |JDK 25, virtual threads", ""));
		for (String boot : this.boots) {
			lines.add("|" + boot + " "
					+ Stream.of("17", "21", "21 virtual", "25", "25 virtual")
						.map((jdk) -> "|" + this.results.get(boot + " on JDK " + jdk))
						.collect(Collectors.joining(" ")));
		}
		lines.addAll(List.of("|4.2.0-M1 5+|not run: of this milestone only the BOM is on Maven Central", "|===", "",
				".Servers, with Spring Boot %s on JDK 25".formatted(this.newestBoot),
				"[caption=\"\",cols=\"2,2,2,2,2\",options=header]", "|===",
				"|Server " + Stream.of(Topology.values())
					.map((topology) -> "|" + topology.title)
					.collect(Collectors.joining(" ")),
				""));
		for (String server : this.servers.keySet()) {
			lines.add("|" + server + " "
					+ Stream.of(Topology.values())
						.map((topology) -> "|" + this.results.get(server + " " + topology.title))
						.collect(Collectors.joining(" ")));
		}
		lines.addAll(
				List.of("|Redis 7.2, 7.4, 8.2 and later 4+|not run: no package of Debian or Maven has them", "|===", "",
						".Ways to build and start, with Spring Boot %s on %s".formatted(this.newestBoot,
								DEFAULT_SERVER),
						"[caption=\"\",cols=\"3,4\",options=header]", "|===", "|Way |Result", ""));
		lines.addAll(List.of(line("Maven", "works: all of the above are built with it"),
				line("Gradle", "not run: Gradle 8.14 or newer is neither a package of Debian nor a Maven artifact"),
				line("Kotlin: a handler that suspends", result("Kotlin")),
				line("Beans prepared at build time (AOT), JDK 17", result("beans prepared, JDK 17")),
				line("Beans prepared at build time (AOT), JDK 25", result("beans prepared, JDK 25")),
				line("Class data sharing, JDK 17", result("class data sharing, JDK 17")),
				line("AOT cache, JDK 25", result("AOT cache, JDK 25")),
				line("AOT cache and beans prepared at build time, JDK 25",
						result("AOT cache and beans prepared, JDK 25")),
				line("A context that is stopped and started, as for a checkpoint", result("stopped and started")),
				line("A checkpoint on a JDK without CRaC",
						result("checkpoint refused").equals(WORKS) ? "refused by Spring, which names the JVM"
								: result("checkpoint refused")),
				line("A checkpoint and its restore (CRaC)", "not run: no package has a JDK with CRaC"), "|==="));
		Files.write(file, lines);
	}

	private static String line(String way, String result) {
		return "|" + way + " |" + result;
	}

	private String result(String name) {
		return this.results.getOrDefault(name, "not run");
	}

	private enum Topology {

		STANDALONE("standalone"), SENTINEL("Sentinel"), CLUSTER("Cluster"), TLS("TLS, by an SSL bundle");

		private final String title;

		Topology(String title) {
			this.title = title;
		}

	}

	private record Servers(AutoCloseable group, List<String> arguments) implements AutoCloseable {

		@Override
		public void close() throws Exception {
			this.group.close();
		}

	}

	private record Jdk(Path home, int feature, String version) {

		static Jdk at(Path home) {
			try {
				Matcher version = JAVA_VERSION.matcher(Files.readString(home.resolve("release")));
				return version.find() ? new Jdk(home, Integer.parseInt(version.group(2)), version.group(1))
						: new Jdk(home, 0, "");
			}
			catch (IOException ex) {
				throw new IllegalStateException(ex);
			}
		}

		String java() {
			return this.home.resolve("bin/java").toString();
		}

	}

	/**
	 * One start of the application, and what it must print.
	 */
	private final class Start {

		private final Jdk jdk;

		private final String jar;

		private final Path file;

		private final List<String> options;

		/** Parts of the line in which the application says on what it runs. */
		private final List<String> expected;

		private final List<String> printed;

		private final boolean refused;

		Start(Jdk jdk, String jar) {
			this(jdk, jar, VersionMatrix.this.target.resolve("jars").resolve(jar + ".jar"), List.of(),
					List.of("JDK " + jdk.version()), CHECKS.stream().map((check) -> "ok " + check).toList(), false);
		}

		private Start(Jdk jdk, String jar, Path file, List<String> options, List<String> expected, List<String> printed,
				boolean refused) {
			this.jdk = jdk;
			this.jar = jar;
			this.file = file;
			this.options = options;
			this.expected = expected;
			this.printed = printed;
			this.refused = refused;
		}

		Path jarFile() {
			return this.file;
		}

		Start of(Path file) {
			return new Start(this.jdk, this.jar, file, this.options, this.expected, this.printed, this.refused);
		}

		Start with(String... options) {
			return new Start(this.jdk, this.jar, this.file, and(this.options, options), this.expected, this.printed,
					this.refused);
		}

		Start expecting(String... parts) {
			return new Start(this.jdk, this.jar, this.file, this.options, and(this.expected, parts), this.printed,
					this.refused);
		}

		Start printing(String... lines) {
			return new Start(this.jdk, this.jar, this.file, this.options, this.expected, and(this.printed, lines),
					this.refused);
		}

		Start refusing() {
			return new Start(this.jdk, this.jar, this.file, this.options, this.expected, this.printed, true);
		}

		Run go(Servers servers) throws Exception {
			List<String> command = new ArrayList<>(
					List.of(this.jdk.java(), "-Xmx300m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
			command.addAll(this.options);
			command.addAll(List.of("-jar", this.file.toString()));
			command.addAll(servers.arguments());
			Path log = VersionMatrix.this.target.resolve("last.log");
			Process process = new ProcessBuilder(command).redirectErrorStream(true)
				.redirectOutput(log.toFile())
				.start();
			boolean ended = process.waitFor(5, TimeUnit.MINUTES);
			if (!ended) {
				process.destroyForcibly().waitFor();
			}
			return new Run(this, ended ? process.exitValue() : -1, Files.readString(log, StandardCharsets.UTF_8));
		}

		private static List<String> and(List<String> list, String... more) {
			return Stream.concat(list.stream(), Arrays.stream(more)).toList();
		}

	}

	private record Run(Start start, int code, String output) {

		String result() {
			if (this.start.refused) {
				return (this.code > 0 && this.output.toLowerCase().contains("checkpoint")) ? WORKS : "not refused";
			}
			List<String> lines = this.output.lines().toList();
			List<String> wrong = new ArrayList<>(lines.stream().filter((line) -> line.startsWith("FAILED ")).toList());
			this.start.printed.stream()
				.filter((line) -> !lines.contains(line))
				.forEach((line) -> wrong.add("missing: " + line.replace("ok ", "")));
			List<String> on = lines.stream().filter((line) -> line.startsWith("on ")).toList();
			for (String part : this.start.expected) {
				if (on.isEmpty() || !on.stream().allMatch((line) -> line.contains(part))) {
					wrong.add("ran %s, not on %s".formatted(on, part));
				}
			}
			if (this.code != 0) {
				wrong.add("exit code " + this.code);
			}
			if (!wrong.isEmpty()) {
				System.out.println(this.output);
			}
			return wrong.isEmpty() ? WORKS : "fails: " + String.join("; ", wrong);
		}

	}

}
