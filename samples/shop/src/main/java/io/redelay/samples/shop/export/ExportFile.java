package io.redelay.samples.shop.export;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Collectors;

import org.springframework.util.StreamUtils;

/**
 * What one delivery writes of an export. Nobody else writes into this file: an instance
 * that was stopped for long and does not know yet that another one goes on with its
 * export would spoil a file that they shared.
 */
final class ExportFile implements Closeable {

	private final FileChannel channel;

	private Position position;

	private ExportFile(FileChannel channel, Position position) {
		this.channel = channel;
		this.position = position;
	}

	static ExportFile begin(Path file) throws IOException {
		Files.writeString(file, ExportedOrder.HEADING);
		return append(file, Position.start(file.getFileName().toString(), Files.size(file)));
	}

	/**
	 * Takes over what the delivery before had written when it saved its position, and
	 * nothing of what it wrote after that.
	 */
	static ExportFile goOn(Path file, Path before, Position position) throws IOException {
		try (InputStream from = Files.newInputStream(before); OutputStream to = Files.newOutputStream(file)) {
			long copied = StreamUtils.copyRange(from, to, 0, position.length() - 1);
			if (copied < position.length()) {
				throw new EOFException("'%s' ends before %s".formatted(before, position));
			}
		}
		return append(file, position.in(file.getFileName().toString()));
	}

	private static ExportFile append(Path file, Position position) throws IOException {
		return new ExportFile(FileChannel.open(file, StandardOpenOption.APPEND), position);
	}

	Position position() {
		return this.position;
	}

	/**
	 * The lines are on the disk when it returns, so what the position says is there.
	 */
	Position append(List<ExportedOrder> page) throws IOException {
		ByteBuffer lines = StandardCharsets.UTF_8
			.encode(page.stream().map(ExportedOrder::toCsv).collect(Collectors.joining()));
		while (lines.hasRemaining()) {
			this.channel.write(lines);
		}
		this.channel.force(false);
		this.position = this.position.after(page, this.channel.position());
		return this.position;
	}

	@Override
	public void close() throws IOException {
		this.channel.close();
	}

}
