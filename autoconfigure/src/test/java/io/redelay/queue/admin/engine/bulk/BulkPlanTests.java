package io.redelay.queue.admin.engine.bulk;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link BulkPlan} and {@link BulkProgress}.
 */
class BulkPlanTests {

	@Test
	void whatAnEarlierVersionDidNotKeepIsAsIfItWereZero() {
		BulkPlan plan = BulkPlan.read("{\"queue\":\"q\",\"later\":1}");
		assertThat(plan).isNotNull();
		assertThat(plan.total()).isZero();
		assertThat(BulkProgress.read("{\"seen\":3,\"later\":1}")).isEqualTo(new BulkProgress(null, 3, 0, 0, 0, null));
	}

}
