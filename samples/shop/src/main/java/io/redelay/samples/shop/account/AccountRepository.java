package io.redelay.samples.shop.account;

import java.math.BigDecimal;
import java.util.Optional;

import org.springframework.data.jdbc.repository.query.Modifying;
import org.springframework.data.jdbc.repository.query.Query;
import org.springframework.data.repository.Repository;

/**
 * The accounts. The database adds and subtracts, so no two changes overwrite each other.
 */
interface AccountRepository extends Repository<Account, String> {

	Optional<Account> findById(String name);

	boolean existsById(String name);

	@Modifying
	@Query("insert into account (name, balance) values (:#{#account.name}, :#{#account.balance})")
	void insert(Account account);

	@Modifying
	@Query("update account set balance = balance + :amount where name = :name")
	boolean add(String name, BigDecimal amount);

	@Modifying
	@Query("update account set balance = balance - :amount where name = :name and balance >= :amount")
	boolean subtract(String name, BigDecimal amount);

}
