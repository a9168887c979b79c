package io.redelay.queue.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

import io.redelay.queue.message.NewMessage;
import io.redelay.queue.message.Settlement;
import io.redelay.queue.request.LaneStatus;
import io.redelay.queue.request.ReplayMemory;
import io.redelay.queue.request.SendRequest;
import io.redelay.queue.script.ClaimReply;
import io.redelay.queue.script.QueueScripts;
import io.redelay.queue.script.TestQueue;
import io.redelay.queue.wire.SimulatedConnection;
import io.redelay.test.VirtualTime;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Lanes of two instances on a simulated server, each request of which a check makes. One
 * instance hears the wake-ups, the other one is deaf.
 */
final class SimulatedLanes {

	private static final Duration LONG = Duration.ofMinutes(10);

	private final VirtualTime time = new VirtualTime();

	private final SimulatedServer server;

	private final UnaryOperator<String> texts;

	private final TestQueue queue;

	private final List<String> woken = new ArrayList<>();

	SimulatedLanes(MemoryRedis redis, UnaryOperator<String> texts) {
		this.server = new SimulatedServer(redis, this.time, MemoryRedis.LISTPACK_ENTRIES);
		this.texts = texts;
		this.queue = queue("hears");
		this.server.subscribe(SimulatedWakeUps.PREFIX + "hears", this.woken::add);
	}

	private TestQueue queue(String name) {
		SimulatedInstance instance = new SimulatedInstance(name, this.time);
		SimulatedNetwork network = new SimulatedNetwork(this.time, new Random(1), false, (what) -> {
		});
		QueueScripts scripts = SimulatedConnection.open(
				(script, file, text, keys, args) -> CompletableFuture
					.completedFuture(this.server.run(script, file, text, keys, args)),
				"redelay", new SimulatedWakeUps(instance, this.server, network), instance, ReplayMemory.NONE,
				this.texts);
		return new TestQueue("lanes", scripts);
	}

	/**
	 * Opens lanes that hear, and that live for longer than they sleep.
	 */
	private List<TestQueue.Consumer> open(int count) {
		return IntStream.range(0, count).mapToObj((n) -> this.queue.consumer(LONG.multipliedBy(2))).toList();
	}

	void aSenderAheadOfRedisIsRefused() {
		String lane = this.queue.store.newLane();
		TestQueue.get(this.queue.store.sends().openSender(this.queue.name, lane));
		SendRequest request = new SendRequest(lane, 3, false, this.queue.messages(1), null, false, false);
		assertThat(TestQueue.get(this.queue.store.sends().send().run(this.queue.name, request)).status())
			.as("a sender learns that Redis has forgotten its last requests")
			.isEqualTo(LaneStatus.BEHIND);
	}

	void anOverdueSleeperIsNotWaitedFor() {
		List<TestQueue.Consumer> lanes = open(2);
		lanes.get(0).claimOrSleep(Duration.ofMillis(50));
		lanes.get(1).claimOrSleep(LONG);
		this.time.advance(Duration.ofSeconds(1));
		assertThat(this.woken).isEmpty();
		this.queue.sender().send(this.queue.message("later", Duration.ofMinutes(1)));
		assertThat(this.woken).as("the other sleeper is woken for what is due later")
			.containsExactly(lanes.get(1).lane);
	}

	void aLaneThatHearsNothingIsPassedOver() {
		TestQueue unheard = queue("deaf");
		List<TestQueue.Consumer> deaf = List.of(unheard.consumer(), unheard.consumer());
		TestQueue.Consumer hearing = open(1).get(0);
		hearing.claimOrSleep(LONG);
		deaf.forEach((each) -> each.claimOrSleep(LONG.plusSeconds(1)));
		this.queue.sender().send(this.queue.messages(1));
		assertThat(this.woken).as("the lane that hears is woken").containsExactly(hearing.lane);
	}

	void aRowComesBackBehindItsFirstMessage() {
		TestQueue.Consumer dying = this.queue.consumer();
		this.queue.sender()
			.send(this.queue.message("first", TestQueue.ordered("key")),
					this.queue.message("second", TestQueue.ordered("key")));
		assertThat(dying.claimRows(1, 5, List.of()).messages()).hasSize(2);
		this.time.advance(TestQueue.LEASE.plusSeconds(1));
		List<String> claimed = new ArrayList<>();
		open(2).forEach((each) -> each.claim(5).messages().forEach((it) -> claimed.add(TestQueue.payload(it))));
		assertThat(claimed).as("one message of an ordering key is claimed at a time").containsExactly("first");
	}

	void aLaneThatClosesPassesItsWakeUpOn() {
		wakeOne().close();
		assertThat(this.woken).as("another lane is woken").hasSize(2).doesNotHaveDuplicates();
	}

	void aBusyLanePassesItsWakeUpOn() {
		wakeOne().claim(0);
		assertThat(this.woken).as("another lane is woken").hasSize(2).doesNotHaveDuplicates();
	}

	/**
	 * Has one of two lanes that sleep be woken for a message that is due later.
	 */
	private TestQueue.Consumer wakeOne() {
		List<TestQueue.Consumer> lanes = open(2);
		lanes.forEach((each) -> each.claimOrSleep(LONG));
		this.queue.sender().send(this.queue.message("later", Duration.ofMinutes(1)));
		assertThat(this.woken).hasSize(1);
		TestQueue.Consumer first = lanes.stream()
			.filter((each) -> this.woken.contains(each.lane))
			.findFirst()
			.orElseThrow();
		first.claimOrSleep(LONG);
		return first;
	}

	/**
	 * Of groups in the same place the one whose name is first goes first: if it joined at
	 * the front, it would have each turn.
	 */
	void aKeyTakesItsTurnWhenItsRoundComes() {
		TestQueue.Sender sender = this.queue.sender();
		List<NewMessage> messages = new ArrayList<>();
		for (int i = 0; i < 30; i++) {
			messages.add(this.queue.message("b", TestQueue.fair("b", 1)));
		}
		messages.add(this.queue.message("a", TestQueue.fair("a", 1)));
		sender.send(messages);
		TestQueue.Consumer lane = this.queue.consumer();
		List<String> turns = new ArrayList<>();
		List<Settlement> settlements = List.of();
		while (turns.size() < 20) {
			ClaimReply.Message message = lane.claim(1, settlements).messages().get(0);
			settlements = List.of(Settlement.ack(message.uid(), message.claim()));
			turns.add(TestQueue.payload(message));
			if (turns.get(turns.size() - 1).equals("a")) {
				sender.send(this.queue.message("a", TestQueue.fair("a", 1)));
			}
		}
		assertThat(Collections.frequency(turns, "a")).as("a key with one message at a time has each second turn")
			.isBetween(9, 11);
	}

}
