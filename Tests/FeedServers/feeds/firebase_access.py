"""Access to a Realtime Database."""

DATABASE_SCOPES = ["https://www.googleapis.com/auth/firebase.database"]


class Access:
    """The rights of a request's credential. `refusal` is the text of the 401; None if the
    credential is valid.
    """

    def __init__(self, request, state, tokens):
        self.refusal = None
        self.is_admin = False
        self.is_known = False
        legacy = request.parameter("auth")
        access = request.bearer or request.parameter("access_token")
        self.has_credential = legacy is not None or access is not None
        if legacy is not None:
            self.judge_legacy(legacy, state)
        elif access is not None:
            self.judge_access(access, state, tokens)

    def judge_legacy(self, text, state):
        if text in state["expired"]:
            self.refusal = "Auth token is expired"
        elif text in state["secrets"]:
            self.is_admin = True
        elif text in state["idTokens"]:
            self.is_known = True
        else:
            self.refusal = "Could not parse auth token."

    def judge_access(self, text, state, tokens):
        if text in state["expired"]:
            self.refusal = "Auth token is expired"
        elif tokens.problem_with(text, DATABASE_SCOPES) is None:
            self.is_admin = True
        else:
            self.refusal = "Unauthorized request."

    def opens(self, rule):
        """Returns whether a rule grants access. A legacy secret and a service account bypass the
        rules.
        """
        return self.is_admin or rule == "public" or (rule == "authenticated" and self.is_known)
