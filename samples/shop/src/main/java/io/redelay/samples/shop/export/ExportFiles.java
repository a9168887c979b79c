package io.redelay.samples.shop.export;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * The files of exports: {@code <id>.csv} when they are done, and {@code <id>.<n>.part} as
 * long as they are written.
 */
@Component
class ExportFiles {

	private final ExportProperties properties;

	ExportFiles(ExportProperties properties) {
		this.properties = properties;
	}

	Path find(String id) {
		return this.properties.folder().resolve(id + ".csv");
	}

	/**
	 * A file of its own for a delivery, with what is written up to a position; nothing if
	 * somebody has removed that.
	 */
	ExportFile open(String id, @Nullable Position position) throws IOException {
		Path folder = Files.createDirectories(this.properties.folder());
		Path file = Files.createTempFile(folder, id + ".", ".part");
		if (position != null) {
			Path before = folder.resolve(position.file());
			if (Files.exists(before)) {
				return ExportFile.goOn(file, before, position);
			}
		}
		return ExportFile.begin(file);
	}

	/**
	 * Shows a file that was written to its end, in one step, and removes what deliveries
	 * before have left.
	 */
	void finish(String id, ExportFile file) throws IOException {
		Path written = this.properties.folder().resolve(file.position().file());
		Files.move(written, find(id), StandardCopyOption.ATOMIC_MOVE);
		deleteAll(id + ".*.part");
	}

	void delete(String id) {
		deleteAll(id + ".*");
	}

	private void deleteAll(String glob) {
		try (DirectoryStream<Path> files = Files.newDirectoryStream(Files.createDirectories(this.properties.folder()),
				glob)) {
			for (Path file : files) {
				Files.deleteIfExists(file);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Each instance removes what is too old, its own or not.
	 */
	@Scheduled(fixedDelayString = "1h")
	void deleteOld() throws IOException {
		Instant longAgo = Instant.now().minus(this.properties.keepFor());
		try (DirectoryStream<Path> files = Files.newDirectoryStream(Files.createDirectories(this.properties.folder()),
				"*.{csv,part}")) {
			for (Path file : files) {
				// 0 if another instance has removed it meanwhile.
				if (file.toFile().lastModified() < longAgo.toEpochMilli()) {
					Files.deleteIfExists(file);
				}
			}
		}
	}

}
