package io.redelay.queue.request;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.redelay.test.VirtualTime;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link LaneReplacement}.
 */
class LaneReplacementTests {

	private static final Instant NOW = Instant.ofEpochSecond(1_800_000_000);

	private final List<Rollback> rollbacks = new ArrayList<>();

	private final ReplayMemory memory = new ReplayMemory(Duration.ofMinutes(1), 10_000, this.rollbacks::add,
			new VirtualTime());

	/**
	 * By the name of a lane, the number of its last request.
	 */
	private final Map<String, Long> lanes = new HashMap<>();

	/**
	 * What the store has carried out.
	 */
	private final List<String> carriedOut = new ArrayList<>();

	private int opened;

	/**
	 * How many requests are carried out until Redis goes back again.
	 */
	private int untilRollback = Integer.MAX_VALUE;

	private final RequestProtocol<String, Reply> protocol = new RequestProtocol<>(
			new RequestProtocol.Settings("orders", Rollback.Lane.SENDER, 10, 1000), String::length, this::openLane,
			(lane, seq, renews, items, attempt) -> CompletableFuture.completedFuture(run(lane, seq, items)),
			(lane) -> CompletableFuture
				.completedFuture(new SenderState(this.lanes.containsKey(lane) ? LaneStatus.OK : LaneStatus.GONE, NOW,
						this.lanes.getOrDefault(lane, 0L))));

	private final LaneRecord<String, Reply> lane = new LaneRecord<>(this.protocol, this.memory, () -> {
	});

	private final LaneReplacement<String, Reply> replacement = new LaneReplacement<>(this.lane, this.protocol,
			this.memory);

	@Test
	void whatWasRepeatedIsRepeatedAgainIfRedisGoesBackAgain() {
		this.lane.open().join();
		for (List<String> items : List.of(List.of("a"), List.of("b", "later", "c"), List.of("d"))) {
			this.lane.nextNumber();
			this.lane.answered(items, new Reply(LaneStatus.OK, items.size()));
		}
		this.lane.failed(false);
		goBack();
		this.untilRollback = 2;
		assertThatExceptionOfType(Exception.class).isThrownBy(() -> this.replacement.repair(this.lane.name()).join())
			.withMessageContaining("Redis went back in time again");
		assertThat(this.carriedOut).isEmpty();
		this.untilRollback = Integer.MAX_VALUE;
		this.replacement.repair(this.lane.name()).join();
		assertThat(this.carriedOut).containsExactly("a", "b", "later", "c", "d");
		assertThat(this.rollbacks).last().extracting(Rollback::missing).isEqualTo(0L);
		assertThat(this.lane.answered().after(0)).flatExtracting(ReplayBuffer.Entry::items)
			.containsExactly("a", "b", "later", "c", "d");
	}

	private CompletableFuture<String> openLane() {
		String name = "lane-" + ++this.opened;
		this.lanes.put(name, 0L);
		return CompletableFuture.completedFuture(name);
	}

	private void goBack() {
		this.lanes.clear();
		this.carriedOut.clear();
	}

	/**
	 * A request does not carry out what is behind its first item if that is to come
	 * later.
	 */
	private Reply run(String name, long seq, List<String> items) {
		if (this.untilRollback-- == 0) {
			goBack();
		}
		if (!this.lanes.containsKey(name)) {
			return new Reply(LaneStatus.GONE, 0);
		}
		this.lanes.put(name, seq);
		int later = items.indexOf("later");
		int done = (later > 0) ? later : items.size();
		this.carriedOut.addAll(items.subList(0, done));
		return new Reply(LaneStatus.OK, done);
	}

	private record Reply(LaneStatus status, int carriedOut) implements LaneReply<Reply> {

		@Override
		public Instant time() {
			return NOW;
		}

		@Override
		public Reply part(int first, int size) {
			return this;
		}

		@Override
		public int done(int size) {
			return this.carriedOut;
		}

	}

}
