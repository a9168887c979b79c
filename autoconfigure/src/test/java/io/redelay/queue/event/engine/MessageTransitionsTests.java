package io.redelay.queue.event.engine;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import io.redelay.queue.event.MessageEvent;
import io.redelay.queue.message.ClaimLimits;
import io.redelay.queue.request.LaneStatus;
import io.redelay.queue.script.ClaimReply;
import io.redelay.queue.script.ClaimRequest;
import io.redelay.queue.script.ScriptCall;
import io.redelay.queue.script.ScriptObservers;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link MessageTransitions}.
 */
class MessageTransitionsTests {

	@Test
	void aMessageThatAReplyBringsTwiceKeepsNoMoveFromListeners() {
		MessageTransitions transitions = new MessageTransitions(new ScriptObservers(() -> 0));
		List<Move> moves = new ArrayList<>();
		transitions.add(moves::add);
		ClaimReply.Message message = new ClaimReply.Message("uid", 1, 0, 0, false,
				"{\"id\":\"a\"}".getBytes(StandardCharsets.UTF_8));
		ClaimReply reply = new ClaimReply(LaneStatus.OK, Instant.EPOCH, null, Set.of(), List.of(message, message),
				ClaimReply.Findings.NONE, 0, new ClaimReply.Moves(List.of("uid"), List.of(), Set.of(), false));
		ClaimRequest request = new ClaimRequest(new ClaimRequest.Terms("lane", Duration.ofSeconds(1), ClaimLimits.NONE),
				1, 2, 1000, false, Duration.ZERO, List.of(), null);
		transitions.called(new ScriptCall.Claim("orders", request, reply, (next) -> false, 0));
		assertThat(moves).extracting(Move::type)
			.containsExactly(MessageEvent.Type.READY, MessageEvent.Type.DELIVERED, MessageEvent.Type.DELIVERED);
	}

}
