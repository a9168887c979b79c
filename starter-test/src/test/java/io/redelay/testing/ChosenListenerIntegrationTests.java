package io.redelay.testing;

import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.ApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

@RedelayTest(OtherListener.class)
class ChosenListenerIntegrationTests {

	@Test
	void onlyTheListenersThatAreNamedAreThere(@Autowired ApplicationContext context) {
		assertThat(context.getBeanNamesForType(OtherListener.class)).hasSize(1);
		assertThat(context.getBeanNamesForType(Reminders.class)).isEmpty();
	}

}
