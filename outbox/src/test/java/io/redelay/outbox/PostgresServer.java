package io.redelay.outbox;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.extension.ExtensionContext;

import org.springframework.util.FileSystemUtils;

/**
 * A real PostgreSQL, started from the executables that are installed, with a data folder
 * of its own. All test classes of a JVM share it.
 */
public final class PostgresServer implements AutoCloseable {

	private static final ExtensionContext.Namespace NAMESPACE = ExtensionContext.Namespace.create(PostgresServer.class);

	private static final int ATTEMPTS = 5;

	private final Process process;

	private final Path folder;

	private final int port;

	private PostgresServer(Process process, Path folder, int port) {
		this.process = process;
		this.folder = folder;
		this.port = port;
	}

	/**
	 * Gives the shared server, or skips the test if none is installed.
	 */
	public static PostgresServer shared(ExtensionContext context) {
		Path executables = executables();
		Assumptions.assumeTrue(executables != null,
				"PostgreSQL is not installed (apt-get install postgresql), so the outbox is not tested on it");
		return context.getRoot()
			.getStore(ExtensionContext.StoreScope.LAUNCHER_SESSION, NAMESPACE)
			.computeIfAbsent(PostgresServer.class, (key) -> start(executables), PostgresServer.class);
	}

	public String url() {
		return "jdbc:postgresql://127.0.0.1:" + this.port + "/postgres?user=postgres";
	}

	/**
	 * Creates an empty schema and returns where it is.
	 */
	String newSchema(String name) {
		try (Connection connection = DriverManager.getConnection(url());
				Statement statement = connection.createStatement()) {
			statement.execute("CREATE SCHEMA " + name);
			return url() + "&currentSchema=" + name;
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static Path executables() {
		Stream<Path> onPath = Stream.of(System.getenv("PATH").split(File.pathSeparator)).map(Path::of);
		return Stream.concat(installed().stream(), onPath)
			.filter((folder) -> Files.isExecutable(folder.resolve("initdb"))
					&& Files.isExecutable(folder.resolve("postgres")))
			.findFirst()
			.orElse(null);
	}

	private static List<Path> installed() {
		Path root = Path.of("/usr/lib/postgresql");
		if (!Files.isDirectory(root)) {
			return List.of();
		}
		try (Stream<Path> versions = Files.list(root)) {
			return versions.map((version) -> version.resolve("bin")).sorted(Comparator.reverseOrder()).toList();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static PostgresServer start(Path executables) {
		try {
			Path folder = Files.createTempDirectory("redelay-postgres-");
			Path data = folder.resolve("data");
			List<String> asUser = new ArrayList<>();
			if ("root".equals(System.getProperty("user.name"))) {
				// It refuses to run as root. Debian's package brings this user.
				asUser.addAll(List.of("runuser", "-u", "postgres", "--"));
				run(folder, List.of("chown", "postgres", folder.toString()));
			}
			run(folder, command(asUser, executables.resolve("initdb").toString(), "-D", data.toString(), "-U",
					"postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"));
			for (int attempt = 1;; attempt++) {
				PostgresServer server = launch(folder, data, asUser, executables);
				try {
					Awaitility.await().until(() -> !server.process.isAlive() || server.answers());
					if (server.process.isAlive()) {
						return server;
					}
				}
				catch (ConditionTimeoutException ex) {
					server.process.destroyForcibly();
					throw ex;
				}
				// Perhaps another program was faster to take the port.
				if (attempt == ATTEMPTS) {
					throw new IllegalStateException(
							"PostgreSQL ended with " + server.process.exitValue() + ", see " + log(folder));
				}
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static List<String> command(List<String> asUser, String... words) {
		List<String> command = new ArrayList<>(asUser);
		command.addAll(List.of(words));
		return command;
	}

	private static void run(Path folder, List<String> command) throws IOException {
		Path log = log(folder);
		Process process = new ProcessBuilder(command).directory(new File("/"))
			.redirectErrorStream(true)
			.redirectOutput(log.toFile())
			.start();
		try {
			if (process.waitFor() != 0) {
				throw new IllegalStateException(command + " failed: " + Files.readString(log));
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	private static PostgresServer launch(Path folder, Path data, List<String> asUser, Path executables)
			throws IOException {
		int port = freePort();
		Process process = new ProcessBuilder(command(asUser, executables.resolve("postgres").toString(), "-D",
				data.toString(), "-p", Integer.toString(port), "-k", folder.toString(), "-c",
				"listen_addresses=127.0.0.1", "-c", "fsync=off"))
			.redirectErrorStream(true)
			.redirectOutput(ProcessBuilder.Redirect.appendTo(log(folder).toFile()))
			.start();
		return new PostgresServer(process, folder, port);
	}

	private static Path log(Path folder) {
		return folder.resolveSibling(folder.getFileName() + ".log");
	}

	private static int freePort() throws IOException {
		try (ServerSocket socket = new ServerSocket(0)) {
			return socket.getLocalPort();
		}
	}

	private boolean answers() {
		try (Connection connection = DriverManager.getConnection(url())) {
			return connection.isValid(5);
		}
		catch (SQLException ex) {
			return false;
		}
	}

	@Override
	public void close() throws IOException, InterruptedException {
		this.process.destroy();
		this.process.waitFor();
		FileSystemUtils.deleteRecursively(this.folder);
		Files.deleteIfExists(log(this.folder));
	}

}
