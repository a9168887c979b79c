package io.redelay.queue.message;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import io.redelay.queue.work.LogLine;
import io.redelay.queue.work.MessageProgress;
import org.jspecify.annotations.Nullable;

/**
 * Writes the progress and the log of a message for the store, and reads both. Values that
 * another program wrote there are ignored.
 *
 * @since 0.1.0
 */
public final class WorkCodec {

	private WorkCodec() {
	}

	/**
	 * Creates a section of the data to keep of a message.
	 * @param type its type: {@code c} a checkpoint, which is removed if the text is
	 * empty; {@code p} a progress; {@code l} lines; {@code r} that the failures of the
	 * message are forgotten
	 * @param text its text
	 * @return the section
	 */
	public static byte[] section(char type, byte[] text) {
		return HeadedBytes.join(type + Integer.toString(text.length) + ':', text);
	}

	/**
	 * Finds a section in the data to keep of a message.
	 * @param sections the sections, one behind the other
	 * @param type its type
	 * @return its text, or {@code null} if it is not among them
	 */
	public static byte @Nullable [] find(byte[] sections, char type) {
		int at = 0;
		while (at < sections.length) {
			int begins = indexOf(sections, ':', at) + 1;
			int ends = begins + Integer.parseInt(text(sections, at + 1, begins - 1));
			if (sections[at] == type) {
				return Arrays.copyOfRange(sections, begins, ends);
			}
			at = ends;
		}
		return null;
	}

	/**
	 * Writes a progress.
	 * @param progress the progress
	 * @return what the store keeps
	 */
	public static byte[] progress(MessageProgress progress) {
		String head = progress.at().toEpochMilli() + " " + progress.fraction();
		return ((progress.text() != null) ? head + '\n' + progress.text() : head).getBytes(StandardCharsets.UTF_8);
	}

	/**
	 * Reads a progress.
	 * @param stored the text in the store
	 * @return the progress, or {@code null} if it is none
	 */
	public static @Nullable MessageProgress progress(byte[] stored) {
		String text = new String(stored, StandardCharsets.UTF_8);
		int end = text.indexOf('\n');
		String[] head = ((end < 0) ? text : text.substring(0, end)).split(" ");
		try {
			return new MessageProgress(Double.parseDouble(head[1]), (end < 0) ? null : text.substring(end + 1),
					Instant.ofEpochMilli(Long.parseLong(head[0])));
		}
		catch (IllegalArgumentException | IndexOutOfBoundsException ex) {
			return null;
		}
	}

	/**
	 * Writes lines that are to be added to a log. Adding them twice changes nothing.
	 * @param delivery names the delivery that numbers them
	 * @param first the number of the first line, from 0
	 * @param lines the lines
	 * @param mostLines how many the log may have after that
	 * @param mostBytes how many bytes it may have after that
	 * @return what the store is given
	 */
	public static byte[] lines(String delivery, long first, List<LogLine> lines, int mostLines, int mostBytes) {
		ByteArrayOutputStream section = new ByteArrayOutputStream(64 + 64 * lines.size());
		section.writeBytes((delivery + ' ' + first + ' ' + lines.size() + ' ' + mostLines + ' ' + mostBytes + '\n')
			.getBytes(StandardCharsets.UTF_8));
		for (LogLine line : lines) {
			byte[] text = (line.at().toEpochMilli() + " " + line.text()).getBytes(StandardCharsets.UTF_8);
			section.writeBytes((text.length + ":").getBytes(StandardCharsets.UTF_8));
			section.writeBytes(text);
		}
		return section.toByteArray();
	}

	/**
	 * Reads a log, or the lines that are to be added to one.
	 * @param stored the text in the store, or for it
	 * @return the log, as far as it can be read
	 */
	public static StoredLog log(byte[] stored) {
		List<LogLine> lines = new ArrayList<>();
		long dropped = 0;
		try {
			int at = indexOf(stored, '\n', 0) + 1;
			dropped = Long.parseLong(text(stored, 0, at).split(" ")[2]);
			while (at < stored.length) {
				int begins = indexOf(stored, ':', at) + 1;
				int ends = begins + Integer.parseInt(text(stored, at, begins - 1));
				String line = text(stored, begins, ends);
				int blank = line.indexOf(' ');
				lines.add(new LogLine(Instant.ofEpochMilli(Long.parseLong(line.substring(0, blank))),
						line.substring(blank + 1)));
				at = ends;
			}
		}
		catch (IllegalArgumentException | IndexOutOfBoundsException ex) {
			return new StoredLog(lines, dropped);
		}
		return new StoredLog(lines, dropped);
	}

	private static String text(byte[] bytes, int from, int to) {
		return new String(bytes, from, to - from, StandardCharsets.UTF_8);
	}

	private static int indexOf(byte[] bytes, char wanted, int from) {
		int at = from;
		while (bytes[at] != wanted) {
			at++;
		}
		return at;
	}

	/**
	 * A log.
	 *
	 * @param lines the lines that are kept, the oldest one first
	 * @param dropped how many were dropped before them, of a log
	 */
	public record StoredLog(List<LogLine> lines, long dropped) {

	}

}
