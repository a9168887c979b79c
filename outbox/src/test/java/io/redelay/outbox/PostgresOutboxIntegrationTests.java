package io.redelay.outbox;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The outbox in Postgres.
 */
class PostgresOutboxIntegrationTests extends OutboxContract {

	@RegisterExtension
	static final TestServers servers = TestServers.withPostgres();

	@Override
	TestServers servers() {
		return servers;
	}

	@Override
	String sharedDatabase() {
		return this.database;
	}

	@Override
	int diesAtDeletion() {
		return Integer.MAX_VALUE;
	}

	/**
	 * At any moment, with {@code kill -9}.
	 */
	@Override
	void kill(OutboxInstance instance, OutboxApplication survivor) {
		Awaitility.await().until(() -> survivor.received().size() > 30);
		instance.close();
	}

}
