package io.redelay.queue.notes;

import java.io.ByteArrayOutputStream;
import java.lang.reflect.Type;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;

import io.redelay.queue.PayloadConversionException;
import io.redelay.queue.message.WorkCodec;
import io.redelay.queue.work.Checkpoint;
import io.redelay.queue.work.LogLine;
import io.redelay.queue.work.MessageProgress;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * What the handler of one delivery keeps beside its message: its last progress, its last
 * log lines and its checkpoint, and which of them Redis has. There is no such object
 * until a handler uses one of them.
 * <p>
 * Safe for use by many threads.
 */
public final class HandlerNotes {

	private static final byte[] NOTHING = {};

	private final Subject message;

	private final Runnable whenLost;

	private final NotesWriter writer;

	/**
	 * Names the delivery in the store, so that lines written twice are kept once.
	 */
	private final String delivery = Long.toUnsignedString(ThreadLocalRandom.current().nextLong(), 36);

	/**
	 * The number of the last write.
	 */
	private long writes;

	private volatile boolean lost;

	/**
	 * The progress that is not written; {@code null} if there is none.
	 */
	private @Nullable MessageProgress progress;

	/**
	 * The progress that was reported last, written or not.
	 */
	private volatile @Nullable MessageProgress reported;

	/**
	 * How often a progress was reported.
	 */
	private long reports;

	/**
	 * The lines that are not written: as many as the log of a message holds.
	 */
	private final ArrayDeque<LogLine> lines = new ArrayDeque<>();

	/**
	 * How many characters the lines have.
	 */
	private int characters;

	/**
	 * The number of the first line that is not written, from 0.
	 */
	private long firstLine;

	/**
	 * Whether the handler has asked for the checkpoint.
	 */
	private boolean hasCheckpoint;

	private byte @Nullable [] checkpoint;

	/**
	 * Grows with each change of the checkpoint.
	 */
	private long version;

	private long writtenVersion;

	/**
	 * Whether the attempts of the message are forgotten when there is another checkpoint.
	 */
	private boolean resetsAttempts;

	/**
	 * Whether the handler has saved another checkpoint.
	 */
	private boolean progressed;

	private boolean reset;

	/**
	 * Creates the notes of a delivery.
	 * @param message the message
	 * @param whenLost called when this instance does not hold the message any more
	 * @param writer writes the notes
	 */
	public HandlerNotes(Subject message, Runnable whenLost, NotesWriter writer) {
		this.message = message;
		this.whenLost = whenLost;
		this.writer = writer;
	}

	Subject message() {
		return this.message;
	}

	/**
	 * Sets the progress of the handling, and forgets the one reported before.
	 * @param fraction how much is done, from 0 to 1
	 * @param text the handler's text, or {@code null}
	 */
	public void progress(double fraction, @Nullable String text) {
		if (!(fraction >= 0 && fraction <= 1)) {
			throw new IllegalArgumentException("'fraction' must be from 0 to 1: " + fraction
					+ ", which the handler reported for the " + this + " as its progress");
		}
		if (!isOpen()) {
			this.writer.tooLate(this);
			return;
		}
		MessageProgress latest = new MessageProgress(fraction, (text != null) ? ReportText.of(text) : null,
				this.message.storeTime());
		this.reported = latest;
		synchronized (this) {
			this.progress = latest;
			this.reports++;
		}
		this.writer.changed(this);
	}

	/**
	 * Returns the progress that was reported last.
	 * @return the progress, or {@code null} if there is none
	 */
	public @Nullable MessageProgress reported() {
		return this.reported;
	}

	/**
	 * Adds a line to the log of the message, and drops the oldest ones above the limit.
	 */
	public void log(String line) {
		Assert.notNull(line, "'line' must not be null");
		if (!isOpen()) {
			this.writer.tooLate(this);
			return;
		}
		LogLine reported = new LogLine(this.message.storeTime(), ReportText.of(line));
		synchronized (this) {
			this.lines.add(reported);
			this.characters += reported.text().length();
			while (this.lines.size() > settings().maxLogLines() || this.characters > settings().maxLogSize()) {
				dropFirstLine();
			}
		}
		this.writer.changed(this);
	}

	private void dropFirstLine() {
		this.characters -= this.lines.remove().text().length();
		this.firstLine++;
	}

	/**
	 * Returns the checkpoint of the message, as its handler sees it.
	 * @param <T> the type of its state
	 * @param saved the checkpoint of an earlier delivery, if there is one
	 * @param resets whether the attempts of the message are forgotten when there is
	 * another checkpoint
	 * @param converter converts the state
	 * @param type the type of its state
	 * @throws PayloadConversionException if the saved checkpoint does not fit the type
	 */
	public <T> Checkpoint<T> checkpoint(byte @Nullable [] saved, boolean resets, CheckpointConverter converter,
			Type type) {
		synchronized (this) {
			if (!this.hasCheckpoint) {
				this.hasCheckpoint = true;
				this.checkpoint = saved;
				this.resetsAttempts = resets;
			}
		}
		SavedCheckpoint<T> seen = new SavedCheckpoint<>(this, converter, type);
		// Fails now if the saved checkpoint does not fit the type.
		seen.get();
		return seen;
	}

	/**
	 * Returns the checkpoint that was saved last.
	 */
	synchronized byte @Nullable [] checkpoint() {
		return this.checkpoint;
	}

	/**
	 * Saves a checkpoint, or none.
	 * @return whether it is to be written; not if it is unchanged
	 */
	synchronized boolean save(byte @Nullable [] state) {
		if (Arrays.equals(state, this.checkpoint)) {
			return false;
		}
		this.checkpoint = state;
		this.version++;
		this.progressed |= state != null;
		return true;
	}

	/**
	 * Returns whether Redis lacks the last saved checkpoint.
	 */
	synchronized boolean isCheckpointPending() {
		return this.version > this.writtenVersion;
	}

	/**
	 * Returns whether Redis has forgotten the attempts of the message, because a
	 * checkpoint was saved. While Redis refuses the checkpoint, the attempts count.
	 */
	public synchronized boolean hasReset() {
		return this.reset;
	}

	/**
	 * Returns whether Redis will forget the attempts of the message with the next write.
	 */
	public synchronized boolean isToReset() {
		return this.resetsAttempts && this.progressed && isCheckpointPending();
	}

	/**
	 * Returns whether something can be noted, as far as is known here.
	 */
	boolean isOpen() {
		return !this.message.isSettled() && !this.lost;
	}

	/**
	 * Returns whether nothing is written any more, because this instance has lost the
	 * message.
	 */
	boolean isLost() {
		return this.lost;
	}

	/**
	 * Records that Redis keeps no further changes, because this instance does not hold
	 * the message.
	 * @return whether that is unexpected, and happens for the first time
	 */
	boolean lose() {
		synchronized (this) {
			if (this.lost) {
				return false;
			}
			this.lost = true;
			this.writtenVersion = this.version;
		}
		if (this.message.isSettled()) {
			return false;
		}
		this.whenLost.run();
		return true;
	}

	/**
	 * Has the checkpoint written again, because Redis went back in time and may have an
	 * earlier one, or none.
	 */
	public void forgotten() {
		synchronized (this) {
			if (this.hasCheckpoint) {
				this.version++;
			}
		}
		this.writer.changed(this);
	}

	/**
	 * Has the changes written soon.
	 */
	void changed() {
		this.writer.changed(this);
	}

	/**
	 * Writes the changes at once.
	 * @return a future of the outcome; fails if that is unknown
	 */
	CompletableFuture<NotesWriter.Outcome> flush() {
		return this.writer.flush(this);
	}

	/**
	 * Writes the changes that are not written yet.
	 * @return a future that completes, and does not fail, when the message can be settled
	 */
	public CompletableFuture<?> flushToSettle() {
		return this.writer.flushToSettle(this);
	}

	/**
	 * Returns the next write, or {@code null} if there is nothing to write. A change is
	 * part of each write until it is {@linkplain #written written}.
	 */
	synchronized @Nullable Write pending() {
		// The store learns of dropped lines from the numbers of the lines behind them.
		if (this.lost || (this.progress == null && this.lines.isEmpty() && !isCheckpointPending())) {
			return null;
		}
		ByteArrayOutputStream sections = new ByteArrayOutputStream();
		if (this.progress != null) {
			sections.writeBytes(WorkCodec.section('p', WorkCodec.progress(this.progress)));
		}
		if (!this.lines.isEmpty()) {
			sections.writeBytes(WorkCodec.section('l', WorkCodec.lines(this.delivery, this.firstLine,
					List.copyOf(this.lines), settings().maxLogLines(), settings().maxLogSize())));
		}
		if (isCheckpointPending()) {
			sections.writeBytes(WorkCodec.section('c', (this.checkpoint != null) ? this.checkpoint : NOTHING));
		}
		boolean resets = isToReset();
		if (resets) {
			sections.writeBytes(WorkCodec.section('r', NOTHING));
		}
		return new Write(++this.writes, sections.toByteArray(), this.reports, this.firstLine + this.lines.size(),
				this.version, resets);
	}

	/**
	 * Records that Redis has the changes of a write.
	 */
	synchronized void written(Write write) {
		if (this.reports == write.reports()) {
			this.progress = null;
		}
		while (this.firstLine < write.nextLine() && !this.lines.isEmpty()) {
			dropFirstLine();
		}
		this.writtenVersion = Math.max(this.writtenVersion, write.version());
		this.reset |= write.resets();
	}

	WorkSettings settings() {
		return this.writer.settings();
	}

	@Override
	public String toString() {
		return this.message.toString();
	}

	/**
	 * The message of a delivery, whose {@code toString()} is a text for people.
	 */
	public interface Subject {

		String uid();

		/**
		 * Returns the number of its claim.
		 */
		long claimNumber();

		String queue();

		/**
		 * Returns the present time by the clock of the store, or a time shortly before
		 * it.
		 */
		Instant storeTime();

		boolean isSettled();

	}

	/**
	 * A write of the changes.
	 *
	 * @param number grows with each write of the delivery
	 * @param sections the encoded changes
	 * @param reports how often a progress had been reported
	 * @param nextLine the number of the line after the last one that is written
	 * @param version the version of the checkpoint
	 * @param resets whether Redis forgets the attempts of the message
	 */
	@SuppressWarnings("ArrayRecordComponent") // the bytes are passed on, never compared
												// or changed
	record Write(long number, byte[] sections, long reports, long nextLine, long version, boolean resets) {

	}

}
