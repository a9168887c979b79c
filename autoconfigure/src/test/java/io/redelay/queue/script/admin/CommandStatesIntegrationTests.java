package io.redelay.queue.script.admin;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.stream.Stream;

import io.redelay.queue.MessageState;
import io.redelay.queue.message.Completion;
import io.redelay.queue.message.KeptMessage;
import io.redelay.queue.message.MessageEdit;
import io.redelay.queue.message.NewMessage;
import io.redelay.queue.message.RetentionBounds;
import io.redelay.queue.message.Settlement;
import io.redelay.queue.message.StoredMessage;
import io.redelay.queue.script.ClaimReply;
import io.redelay.queue.script.CommandReply;
import io.redelay.queue.script.MessageCommand;
import io.redelay.queue.script.TestQueue;
import io.redelay.queue.wire.StoreDump;
import io.redelay.queue.wire.StoreWorkbench;
import io.redelay.test.TestRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for commands that say in which states a message may be: each command, on a
 * message in each state.
 */
class CommandStatesIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private static final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

	private static final List<MessageCommand.Action> ACTIONS = List.of(MessageCommand.Action.CANCEL,
			MessageCommand.Action.DELETE, MessageCommand.Action.BURY, MessageCommand.Action.SCHEDULE,
			MessageCommand.Action.RUN, MessageCommand.Action.CHANGE, MessageCommand.Action.REDRIVE);

	private static final Set<MessageState> STATES = EnumSet.complementOf(EnumSet.of(MessageState.UNKNOWN));

	private static final long START = 1_800_000_000_123L;

	private final String name = TestRedis.queue();

	private final StoreWorkbench bench = new StoreWorkbench(redis.client(), this.name, timer);

	private final TestQueue queue = new TestQueue(this.name, this.bench.store);

	@AfterAll
	static void shutDown() {
		timer.shutdownNow();
	}

	static Stream<Arguments> actionsAndStates() {
		return ACTIONS.stream().flatMap((action) -> STATES.stream().map((state) -> Arguments.arguments(action, state)));
	}

	@ParameterizedTest
	@MethodSource("actionsAndStates")
	void nothingHappensInAnotherState(MessageCommand.Action action, MessageState state) {
		this.bench.setClock(START);
		String uid = messageIn(state);
		StoreDump before = this.bench.dump();
		Set<MessageState> others = EnumSet.copyOf(STATES);
		others.remove(state);
		CommandReply.Result result = command(action, uid, others);
		assertThat(result.state()).isEqualTo(state);
		assertThat(result.outcome()).isEqualTo(CommandReply.Result.Outcome.KEPT);
		assertThat(this.bench.dump()).usingRecursiveComparison().ignoringFields("expiries").isEqualTo(before);
	}

	@ParameterizedTest
	@MethodSource("actionsAndStates")
	void theSameHappensInItsStateAsInAny(MessageCommand.Action action, MessageState state) {
		this.bench.setClock(START);
		CommandReply.Result named = command(action, messageIn(state), EnumSet.of(state, MessageState.UNKNOWN));
		CommandReply.Result any = command(action, messageIn(state), Set.of());
		assertThat(named).isEqualTo(any);
		assertThat(named.state()).isEqualTo(state);
	}

	private CommandReply.Result command(MessageCommand.Action action, String uid, Set<MessageState> states) {
		String lane = TestQueue.get(this.bench.admin.steer().openLane(this.name));
		String argument = switch (action) {
			case BURY -> "{\"cause\":\"buried\"}";
			case SCHEDULE -> "+5000";
			case CHANGE -> TestQueue.get(this.bench.admin.messages().find(this.name, List.of(uid)))
				.messages()
				.stream()
				.map(CommandStatesIntegrationTests::edit)
				.findFirst()
				.orElseThrow();
			default -> "";
		};
		return TestQueue
			.get(this.bench.admin.steer()
				.run(this.name, lane, 1, List.of(new MessageCommand(action, uid, argument, "fresh-" + uid, states))))
			.results()
			.get(0);
	}

	static String edit(StoredMessage message) {
		return new MessageEdit(message, 1, null, 5, null, null).argument();
	}

	private String messageIn(MessageState state) {
		NewMessage message = (state == MessageState.SCHEDULED) ? this.queue.message("m", Duration.ofHours(1))
				: this.queue.message("m");
		this.queue.sender().send(message);
		if (state == MessageState.SCHEDULED || state == MessageState.READY) {
			return message.uid();
		}
		TestQueue.Consumer consumer = this.queue.consumer();
		ClaimReply.Message claimed = consumer.claim(10)
			.messages()
			.stream()
			.filter((each) -> each.uid().equals(message.uid()))
			.findFirst()
			.orElseThrow();
		if (state == MessageState.DEAD) {
			consumer.claim(0, Settlement.bury(claimed.uid(), claimed.claim(), "{\"cause\":\"no\"}"));
		}
		else if (state == MessageState.COMPLETED) {
			consumer
				.claim(0,
						Settlement.done(claimed.uid(), claimed.claim(),
								new Completion(List.of(new KeptMessage(null,
										new RetentionBounds(Duration.ofMinutes(5), 10, RetentionBounds.ANY_SIZE))),
										(counted) -> {
										})));
		}
		return message.uid();
	}

}
