package io.redelay.samples.shop.price;

import java.time.Instant;
import java.util.Optional;

import org.springframework.data.jdbc.repository.query.Modifying;
import org.springframework.data.jdbc.repository.query.Query;
import org.springframework.data.repository.Repository;

/**
 * The imports that have ended.
 */
interface ImportRepository extends Repository<ImportResult, String> {

	Optional<ImportResult> findById(String id);

	@Modifying
	@Query("insert into import_result (id, lines, imported, failed, ended_at) values (:id, :lines, :imported, :failed, :endedAt)")
	void insert(String id, int lines, int imported, int failed, Instant endedAt);

}
