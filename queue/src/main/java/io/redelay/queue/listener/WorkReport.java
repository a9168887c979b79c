package io.redelay.queue.listener;

import java.io.ByteArrayOutputStream;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;

import io.redelay.queue.LogLine;
import io.redelay.queue.MessageProgress;
import io.redelay.queue.store.WorkCodec;
import org.jspecify.annotations.Nullable;

/**
 * The reports of one delivery's handler that are not written yet: its last progress, and
 * as many of its last lines as the log of a message holds.
 * <p>
 * Safe for use by many threads.
 */
final class WorkReport implements WorkPart {

	private final WorkSettings settings;

	/**
	 * Names the delivery in the store, so that lines written twice are kept once.
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
	 * Sets the progress of the handling, and forgets the one reported before.
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
	 * Adds a line, and drops the oldest ones above the limit.
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

	@Override
	public synchronized @Nullable Runnable pending(ByteArrayOutputStream sections) {
		MessageProgress reported = this.progress;
		// The store learns of dropped lines from the numbers of the lines behind them.
		if (reported == null && this.lines.isEmpty()) {
			return null;
		}
		if (reported != null) {
			sections.writeBytes(WorkCodec.section('p', WorkCodec.progress(reported)));
		}
		if (!this.lines.isEmpty()) {
			sections.writeBytes(WorkCodec.section('l', WorkCodec.lines(this.delivery, this.first,
					List.copyOf(this.lines), this.settings.maxLogLines(), this.settings.maxLogSize())));
		}
		long lastReport = this.reports;
		long nextLine = this.first + this.lines.size();
		return () -> written(lastReport, nextLine);
	}

	private synchronized void written(long lastReport, long nextLine) {
		if (this.reports == lastReport) {
			this.progress = null;
		}
		while (this.first < nextLine && !this.lines.isEmpty()) {
			dropFirst();
		}
	}

	@Override
	public synchronized String toString() {
		return String.format(Locale.ROOT, "%s, %d line(s)", this.progress, this.lines.size());
	}

}
