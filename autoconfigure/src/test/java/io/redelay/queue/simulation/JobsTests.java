package io.redelay.queue.simulation;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.redelay.queue.message.ClaimLimits;
import io.redelay.queue.message.Envelope;
import io.redelay.queue.message.NewMessage;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the simulation takes for messages that a job has redriven.
 */
class JobsTests {

	@Test
	void payloadsThatHaveGatheredLiveAgainAsOneMessage() {
		History history = new History(null, (story) -> true, () -> 0,
				new History.Terms(0, ClaimLimits.NONE, null, false, false));
		for (String uid : List.of("a", "b", "c", "alone")) {
			history.sends("i1", new Messages.Sending(new NewMessage(uid, null, null, null, new byte[0], null, null),
					Envelope.Lifetime.NONE, null), false, 0);
		}
		Map<Story, Jobs.Known> before = new HashMap<>();
		history.stories().forEach((story) -> {
			story.changes = 1;
			before.put(story, new Jobs.Known(true, 0, 0));
		});
		history.begins("i1", List.of("a", "b", "c"), 0, 100);
		history.begins("i1", List.of("alone"), 0, 200);
		assertThat(Jobs.livedAgain(before)).containsExactly(100L, 200L);
		assertThat(history.violation()).isNull();
	}

}
