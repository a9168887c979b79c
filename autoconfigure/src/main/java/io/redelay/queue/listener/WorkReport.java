package io.redelay.queue.listener;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;

import io.redelay.queue.LogLine;
import io.redelay.queue.MessageProgress;
import io.redelay.queue.store.WorkCodec;
import org.jspecify.annotations.Nullable;

/**
 * What the handler of one delivery has reported and what is not written yet: its last
 * progress, and as many of its last lines as the log of a message has.
 * <p>
 * Safe for use by many threads.
 */
final class WorkReport {

	private final WorkSettings settings;

	/**
	 * Names the delivery in the store, so that lines that are written twice are there
	 * once.
	 */
	private final String delivery = Long.toUnsignedString(ThreadLocalRandom.current().nextLong(), 36);

	private @Nullable MessageProgress progress;

	/**
	 * How often a progress was reported.
	 */
	private long reports;

	private final ArrayDeque<LogLine> lines = new ArrayDeque<>();

	/**
	 * How many characters the lines have.
	 */
	private int characters;

	/**
	 * The number of the first line that is not written, from 0.
	 */
	private long first;

	WorkReport(WorkSettings settings) {
		this.settings = settings;
	}

	/**
	 * Notes how far the handling has come; forgets what it was told before.
	 * @throws IllegalArgumentException if the fraction is not from 0 to 1
	 */
	void progress(double fraction, @Nullable String text, Instant at) {
		MessageProgress reported = new MessageProgress(fraction, (text != null) ? ReportText.of(text) : null, at);
		synchronized (this) {
			this.progress = reported;
			this.reports++;
		}
	}

	/**
	 * Notes a line. The oldest ones are dropped when there are more than are kept.
	 */
	void log(String line, Instant at) {
		LogLine reported = new LogLine(at, ReportText.of(line));
		synchronized (this) {
			this.lines.add(reported);
			this.characters += reported.text().length();
			while (this.lines.size() > this.settings.maxLogLines() || this.characters > this.settings.maxLogSize()) {
				dropFirst();
			}
		}
	}

	private void dropFirst() {
		this.characters -= this.lines.remove().text().length();
		this.first++;
	}

	/**
	 * Returns what is to be written, until {@link #written} is told of it.
	 * @return what is to be written, or {@code null} if that is nothing
	 */
	synchronized @Nullable Pending pending() {
		// The store is told of lines that were dropped by the lines behind them.
		if (this.progress == null && this.lines.isEmpty()) {
			return null;
		}
		List<LogLine> copied = new ArrayList<>(this.lines);
		return new Pending(this.progress, this.reports,
				copied.isEmpty() ? null : WorkCodec.lines(this.delivery, this.first, copied, this.settings.maxLogLines(),
						this.settings.maxLogSize()),
				this.first + copied.size());
	}

	/**
	 * Forgets what was written.
	 */
	synchronized void written(Pending pending) {
		if (this.reports == pending.reports()) {
			this.progress = null;
		}
		while (this.first < pending.next() && !this.lines.isEmpty()) {
			dropFirst();
		}
	}

	@Override
	public synchronized String toString() {
		return String.format(Locale.ROOT, "%s, %d line(s)", this.progress, this.lines.size());
	}

	/**
	 * What is to be written.
	 *
	 * @param progress the progress, if a new one was reported
	 * @param reports how often one was reported until now
	 * @param lines the lines as the store is given them, if there are any
	 * @param next the number of the line behind them
	 */
	@SuppressWarnings("ArrayRecordComponent") // the bytes are handed on, never compared
												// or changed
	record Pending(@Nullable MessageProgress progress, long reports, byte @Nullable [] lines, long next) {

	}

}
