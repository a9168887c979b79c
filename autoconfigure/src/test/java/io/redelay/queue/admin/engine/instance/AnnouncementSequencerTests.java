package io.redelay.queue.admin.engine.instance;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the order in which the other instances are notified of what this one does.
 */
class AnnouncementSequencerTests {

	private final AnnouncementSequencer sequencer = new AnnouncementSequencer();

	private final List<String> reported = new ArrayList<>();

	private final List<CompletableFuture<Void>> answers = new ArrayList<>();

	private int again;

	@Test
	void whatIsUnderWayIsNotOvertaken() {
		announce("stopped");
		announce("starting");
		announce("running");
		assertThat(this.reported).containsExactly("stopped");
		this.answers.get(0).complete(null);
		assertThat(this.again).as("what changed meanwhile is announced together").isOne();
		announce("running");
		assertThat(this.reported).containsExactly("stopped", "running");
	}

	@Test
	void aFailureHoldsUpNothing() {
		announce("stopped");
		announce("running");
		this.answers.get(0).completeExceptionally(new IllegalStateException("Redis is away"));
		assertThat(this.again).isOne();
		announce("running");
		assertThat(this.reported).containsExactly("stopped", "running");
	}

	@Test
	void oneServerDoesNotWaitForAnother() {
		announce("running");
		this.sequencer.announce("other", request("here too"), () -> this.again++);
		assertThat(this.reported).containsExactly("running", "here too");
	}

	@Test
	void theFarewellArrivesLast() {
		announce("running");
		CompletableFuture<Void> farewell = this.sequencer.announceLast("instance", request(""));
		assertThat(this.reported).containsExactly("running");
		this.answers.get(0).complete(null);
		assertThat(this.reported).containsExactly("running", "");
		assertThat(farewell).isNotDone();
		this.answers.get(1).complete(null);
		assertThat(farewell).isDone();
	}

	private void announce(String what) {
		this.sequencer.announce("instance", request(what), () -> this.again++);
	}

	private Supplier<CompletableFuture<Void>> request(String what) {
		return () -> {
			this.reported.add(what);
			CompletableFuture<Void> answer = new CompletableFuture<>();
			this.answers.add(answer);
			return answer;
		};
	}

}
