package io.redelay.outbox.jdbc;

import io.redelay.outbox.TestServers;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The table of cold messages in PostgreSQL.
 */
class PostgresColdChunkIntegrationTests extends ColdChunkContract {

	@RegisterExtension
	static final TestServers servers = TestServers.withPostgres();

	@Override
	TestServers servers() {
		return servers;
	}

}
