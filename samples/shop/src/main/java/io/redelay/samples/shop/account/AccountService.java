package io.redelay.samples.shop.account;

import java.math.BigDecimal;

import io.redelay.samples.shop.web.ConflictException;

import org.springframework.dao.DuplicateKeyException;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/**
 * Opens accounts and moves money; moving it needs a transaction, which the other half of
 * the move belongs to.
 */
@Service
public class AccountService {

	private final AccountRepository accounts;

	AccountService(AccountRepository accounts) {
		this.accounts = accounts;
	}

	Account find(String name) {
		return this.accounts.findById(name).orElseGet(() -> Account.opened(name));
	}

	public void open(String name) {
		if (!this.accounts.existsById(name)) {
			try {
				this.accounts.insert(Account.opened(name));
			}
			catch (DuplicateKeyException ex) {
				// Another request was faster: the account is open.
			}
		}
	}

	@Transactional(propagation = Propagation.MANDATORY)
	public void deposit(String name, BigDecimal amount) {
		this.accounts.add(name, amount);
	}

	@Transactional(propagation = Propagation.MANDATORY)
	public void withdraw(String name, BigDecimal amount) {
		if (!this.accounts.subtract(name, amount)) {
			throw new ConflictException("'%s' does not have %s".formatted(name, amount));
		}
	}

}
