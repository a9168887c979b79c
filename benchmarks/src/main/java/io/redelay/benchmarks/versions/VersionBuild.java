package io.redelay.benchmarks.versions;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The folder in which an earlier version is compiled.
 */
final class VersionBuild {

	private VersionBuild() {
	}

	/**
	 * Returns a short name of a version.
	 * @param earlier a commit, or a folder
	 */
	static String name(String earlier) {
		return Path.of(earlier).getFileName().toString();
	}

	/**
	 * Returns the folder of a version. A commit is checked out and compiled, unless it
	 * was before.
	 * @param earlier a commit, or the folder where one is compiled
	 */
	static Path of(String earlier) {
		Path folder = Path.of(earlier);
		if (Files.isDirectory(folder)) {
			if (modules(folder).isEmpty()) {
				throw new IllegalArgumentException("'%s' has no compiled modules".formatted(folder));
			}
			return folder;
		}
		Path worktree = Path.of("target", "versions", earlier).toAbsolutePath();
		// The module that is compiled last.
		if (!Files.exists(worktree.resolve("autoconfigure/target/classes/META-INF"))) {
			System.out.printf("Compiling %s...%n", earlier);
			if (!Files.exists(worktree)) {
				run(Path.of(""), "git", "worktree", "add", "--force", "--detach", worktree.toString(), earlier);
			}
			run(worktree, "./mvnw", "-q", "-pl", "autoconfigure", "-am", "-Dmaven.test.skip=true", "compile");
		}
		return worktree;
	}

	/**
	 * Returns the commit of this version.
	 */
	static String present() {
		return run(Path.of(""), "git", "rev-parse", "--short=8", "HEAD").trim();
	}

	/**
	 * Returns the classes of the library's modules. Before there were several, all of it
	 * was in the last one.
	 * @param project where it is built
	 */
	static List<Path> modules(Path project) {
		return Stream.of("support", "lock", "queue", "actuator", "autoconfigure")
			.map((module) -> project.resolve(module).resolve("target/classes"))
			.filter(Files::exists)
			.toList();
	}

	private static String run(Path folder, String... command) {
		try {
			Process process = new ProcessBuilder(command).directory(folder.toAbsolutePath().toFile())
				.redirectErrorStream(true)
				.start();
			String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
			if (process.waitFor() != 0) {
				throw new IllegalStateException("'%s' failed:%n%s".formatted(String.join(" ", command), output));
			}
			return output;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

}
