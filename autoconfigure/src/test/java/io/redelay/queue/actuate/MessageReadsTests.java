package io.redelay.queue.actuate;

import java.util.List;
import java.util.Optional;

import io.redelay.queue.admin.HandlerAdmin;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.admin.RunningHandlers;
import org.junit.jupiter.api.Test;
import org.mockito.Mockito;

import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyBoolean;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;
import static org.mockito.Mockito.verifyNoMoreInteractions;

/**
 * Tests for {@link MessageReads}.
 */
class MessageReadsTests {

	private final HandlerAdmin handlers = Mockito.mock();

	private final QueueAdmin admin = Mockito.mock(Mockito.RETURNS_DEEP_STUBS);

	@Test
	void noStackIsAskedForThatTheUserMayNotSee() {
		given(this.admin.handlers()).willReturn(this.handlers);
		given(this.handlers.running(any(), anyBoolean()))
			.willReturn(new RunningHandlers(List.of(), 0, List.of(), List.of()));
		reads(Show.NEVER).running(SecurityContext.NONE, null, null, null);
		then(this.handlers).should().running(null, false);
		reads(Show.ALWAYS).running(SecurityContext.NONE, "q", null, null);
		then(this.handlers).should().running("q", true);
		assertThatExceptionOfType(RequestException.class)
			.isThrownBy(() -> reads(Show.NEVER).stack(SecurityContext.NONE, "q", "u", "7"));
		verifyNoMoreInteractions(this.handlers);
		given(this.handlers.stack("q", "u", 7L)).willReturn(Optional.empty());
		assertThatExceptionOfType(RequestException.class)
			.isThrownBy(() -> reads(Show.ALWAYS).stack(SecurityContext.NONE, "q", "u", "7"));
		then(this.handlers).should().stack("q", "u", 7L);
	}

	private MessageReads reads(Show stacks) {
		return new MessageReads(this.admin,
				new EndpointRights(Access.UNRESTRICTED, List.of(), Show.NEVER, List.of(), stacks, List.of()),
				new MessageMasking((payload, contentType) -> ""));
	}

}
