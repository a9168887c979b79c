package io.redelay.embedded.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;

import org.jspecify.annotations.Nullable;

/**
 * A directory that is deleted, with its content, when it is closed.
 *
 * @param path where it is
 */
record TemporaryDirectory(Path path) implements AutoCloseable {

	static TemporaryDirectory create(String prefix) {
		try {
			return new TemporaryDirectory(Files.createTempDirectory(prefix));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(
					"Cannot create a directory under '%s'".formatted(System.getProperty("java.io.tmpdir")), ex);
		}
	}

	static TemporaryDirectory untilExit(String prefix) {
		TemporaryDirectory directory = create(prefix);
		ExitHook.add(directory::close);
		return directory;
	}

	@Override
	public void close() {
		try {
			Files.walkFileTree(this.path, new Deletion());
		}
		catch (IOException ex) {
			throw new UncheckedIOException("Cannot delete '%s'".formatted(this.path), ex);
		}
	}

	/**
	 * Passes over what is deleted meanwhile, by a server that is just ending.
	 */
	private static final class Deletion extends SimpleFileVisitor<Path> {

		@Override
		public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
			Files.deleteIfExists(file);
			return FileVisitResult.CONTINUE;
		}

		@Override
		public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
			check(failure);
			return FileVisitResult.CONTINUE;
		}

		@Override
		public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException failure) throws IOException {
			check(failure);
			Files.deleteIfExists(directory);
			return FileVisitResult.CONTINUE;
		}

		private static void check(@Nullable IOException failure) throws IOException {
			if (failure != null && !(failure instanceof NoSuchFileException)) {
				throw failure;
			}
		}

	}

}
