package io.redelay.testing;

import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestExecutionListener;

/**
 * Begins each test method with nothing sent.
 */
final class SentMessagesTestExecutionListener implements TestExecutionListener {

	@Override
	public void beforeTestMethod(TestContext context) {
		if (context.hasApplicationContext()) {
			context.getApplicationContext().getBeanProvider(SentMessages.class).forEach(SentMessages::clear);
		}
	}

}
