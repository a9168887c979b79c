package io.redelay.queue.claim;

import java.util.ArrayList;
import java.util.List;

import io.redelay.queue.wire.WakeUpSource;
import io.redelay.scheduling.Scheduler;
import org.junit.jupiter.api.Test;
import org.mockito.Mockito;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;

/**
 * Tests for {@link WakeUps}.
 */
class WakeUpsTests {

	@Test
	void whatCannotBeAnsweredNowIsAnsweredAtOnce() {
		WakeUpSource source = Mockito.mock();
		Scheduler threads = Mockito.mock();
		List<Runnable> tasks = new ArrayList<>();
		given(threads.execute(any())).willAnswer((call) -> tasks.add(call.getArgument(0)));
		WakeUps wakeUps = new WakeUps(source);
		wakeUps.answerBy((question, inHand) -> "said", threads);
		for (int i = 1; i <= 33; i++) {
			wakeUps.asked("asker", Integer.toString(i), "q");
		}
		assertThat(tasks).hasSize(32);
		then(source).should().answer("asker", "33", "busy");
		tasks.forEach(Runnable::run);
		then(source).should().answer("asker", "32", "said");
		wakeUps.asked("asker", "34", "q");
		assertThat(tasks).hasSize(33);
	}

}
